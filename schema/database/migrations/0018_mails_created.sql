-- Mails are deleted 90 days after they were written.
CREATE INDEX mails_created ON mails (created_at);
