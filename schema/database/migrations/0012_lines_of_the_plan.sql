-- A line that was read with another item's seats is corrected by the next snapshot.
GRANT UPDATE (ends_at, seats, seats_before, amount_minor) ON paid_invoice_lines TO tidemark_worker;
