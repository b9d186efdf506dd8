-- A line that was read with another item's seats is corrected by the next snapshot.
GRANT UPDATE ON paid_invoice_lines TO tidemark_worker;
