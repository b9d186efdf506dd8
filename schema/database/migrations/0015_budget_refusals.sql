-- What the limits of an owner refused, the latest first, for support: few of the periods that each person has.
CREATE INDEX ledger_budget_periods_refused ON ledger_budget_periods (owner_id, refused_at) WHERE refused > 0;
