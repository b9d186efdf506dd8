-- Clerk limits how many invitations an application may send in an hour. One that it asked us to send later keeps its seat; the worker
-- sends it at `send_at`, and `sweep_at` is the same time then. Null for one that was sent or is being sent.
ALTER TABLE team_invitations ADD COLUMN send_at timestamptz;
