-- Writes down, in the transaction of what happened, whom to tell of it by e-mail: `person`, or without one the owner, of an
-- organization its admins; none of those who want no mail about the owner. Once for each occasion, and nothing where no mail is
-- sent (`tidemark.mails`).
CREATE OR REPLACE FUNCTION mails_tell(kind text, owner_id text, person text, occasion text, figures jsonb) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO mails (kind, owner_id, user_id, occasion, figures)
  SELECT mails_tell.kind, mails_tell.owner_id, u.clerk_id, mails_tell.occasion, mails_tell.figures FROM users u
  WHERE current_setting('tidemark.mails', true) = 'on' AND u.forgotten_at IS NULL AND mails_tell.owner_id <> ALL (u.no_mail_of)
    AND u.clerk_id IN (SELECT coalesce(mails_tell.person, mails_tell.owner_id) UNION ALL SELECT m.user_id FROM organization_members m
      WHERE mails_tell.person IS NULL AND m.organization_id = mails_tell.owner_id AND m.role = 'admin')
  ON CONFLICT DO NOTHING
$$;

REVOKE ALL ON FUNCTION mails_tell FROM PUBLIC, tidemark_server, tidemark_worker;
GRANT EXECUTE ON FUNCTION mails_tell TO tidemark_worker;
