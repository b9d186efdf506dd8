-- Temporary: gives the superseded functions the columns and the digest of the baseline, until that replaces this file.
ALTER TABLE ledger_transfers ADD reason_salt bytea, ADD reason_hash bytea;
ALTER TABLE ledger_transfers ALTER reason DROP NOT NULL, ALTER format SET DEFAULT 2;
ALTER TABLE ledger_keys ALTER format SET DEFAULT 2;
ALTER TABLE ledger_archived_sums ALTER is_early SET DEFAULT false;
DROP TABLE ledger_reports_early, ledger_entries_early, ledger_transfers_early;
DO $$ BEGIN EXECUTE (SELECT string_agg(format('DROP TRIGGER IF EXISTS %I ON %s;', tgname, tgrelid::regclass), '') FROM pg_trigger
  WHERE tgname = 'ledger_transfers_append_only' AND tgparentid = 0); END $$;
CREATE FUNCTION temporary_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.reason IS NULL AND NEW.reason_salt IS NULL
      AND to_jsonb(NEW) - '{reason,reason_salt}'::text[] = to_jsonb(OLD) - '{reason,reason_salt}'::text[] THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'The ledger is append-only: % on % is refused; a correction is one more transfer', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER ledger_transfers_append_only BEFORE UPDATE OR DELETE ON ledger_transfers FOR EACH ROW EXECUTE FUNCTION temporary_refuse_change();
CREATE FUNCTION temporary_reason_hash() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.reason_salt := coalesce(NEW.reason_salt, ''::bytea);
  NEW.reason_hash := coalesce(NEW.reason_hash, sha256(convert_to(NEW.reason, 'UTF8')));
  RETURN NEW;
END
$$;
CREATE TRIGGER temporary_reason_hash BEFORE INSERT ON ledger_transfers FOR EACH ROW EXECUTE FUNCTION temporary_reason_hash();
CREATE OR REPLACE FUNCTION ledger_transfer_digest(transfer ledger_transfers) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT sha256(convert_to('[3, ' || to_json(transfer.idempotency_key) || ', ' || to_json(transfer.kind::text)
    || ', ' || coalesce(to_json(transfer.grant_id)::text, 'null') || ', "' || encode(transfer.input_hash, 'hex')
    || '", ' || (extract(epoch FROM transfer.occurred_at) * 1000000)::bigint
    || ', ' || (extract(epoch FROM transfer.posted_at) * 1000000)::bigint
    || ', ' || coalesce(to_json(transfer.intent_id)::text, 'null') || ', ' || coalesce(to_json(transfer.event_id)::text, 'null')
    || ', ' || to_json(transfer.actor) || ', "' || encode(coalesce(transfer.reason_hash, sha256(convert_to(transfer.reason, 'UTF8'))), 'hex')
    || '"]', 'UTF8'))
$$;
DO $$
DECLARE
  definition text;
BEGIN
  FOR definition IN
    SELECT pg_get_functiondef(oid) FROM pg_proc
    WHERE proname IN ('ledger_post_many', 'ledger_post_one', 'ledger_use', 'ledger_usage_digest')
  LOOP
    definition := replace(definition, ')::ledger_transfers', ', NULL, NULL)::ledger_transfers');
    definition := replace(definition, '''[2, ''', '''[3, ''');
    definition := regexp_replace(definition, 'to_json\(((i\.)?reason)\)', 'to_json(encode(sha256(convert_to(\1, ''UTF8'')), ''hex''))', 'g');
    EXECUTE definition;
  END LOOP;
END
$$;
