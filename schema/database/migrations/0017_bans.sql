-- By Clerk's newest profile, which the worker writes down: the operator's services may not spend for a banned person.
ALTER TABLE users ADD COLUMN is_banned boolean NOT NULL DEFAULT false;
