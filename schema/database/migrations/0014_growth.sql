-- What was read front to back for one owner, one person or one probe, found by tests/growth.

-- All subscriptions of an owner, those that are over included: for their books, and for the one that an overview shows.
CREATE INDEX subscriptions_owner ON subscriptions (owner_kind, owner_id, created_at);
-- Whether a person ever subscribed, and which team they bought.
CREATE INDEX subscriptions_user ON subscriptions (user_id);
CREATE INDEX team_invitations_subscription ON team_invitations (subscription_id);
-- The organizations of a person who was deleted, and their sign-ins.
CREATE INDEX organization_members_user ON organization_members (user_id);
CREATE INDEX extension_sign_ins_user ON extension_sign_ins (user_id) WHERE user_id IS NOT NULL;
-- The oldest event that nobody has settled, for probes and metrics: one row, however many wait.
CREATE INDEX inbox_events_oldest ON inbox_events (received_at) WHERE state = 'received';
