#!/bin/sh
# Backs up a Postgres that archives its log into the same folder: a base backup each day, and no more of the log than those that are kept
# need. In docker-compose.yml; docs/operations.md has how to restore one.
#
#   backup.sh         for good: looks every ten minutes whether a backup is due
#   backup.sh once    makes one now
#
# The connection is in libpq's variables (PGHOST, PGUSER, PGDATABASE); its login may replicate, and owns the tables.
set -eu
folder=${BACKUP_FOLDER:-/backup}
every_min=${BACKUP_EVERY_MINUTES:-1440}
keep=${BACKUP_KEEP:-2}
umask 077
mkdir -p "$folder/base" "$folder/log"

# The complete ones, the oldest first: their names are times.
backups() { find "$folder/base" -mindepth 1 -maxdepth 1 -name '2*' | sort; }

if [ "${1:-}" != once ]; then
  while true; do
    # In a process of its own: what fails there ends it, and not this one.
    [ -n "$(find "$folder/base" -mindepth 1 -maxdepth 1 -name '2*' -mmin "-$every_min")" ] || sh "$0" once ||
      echo "The backup failed; the next try is in ten minutes" >&2
    sleep 600
  done
fi

part=$folder/base/.part
rm -rf "$part"
# With the log that this backup needs, so that it can be verified and restored without the archive.
pg_basebackup --pgdata="$part" --wal-method=stream --checkpoint=fast --no-password
pg_verifybackup --quiet "$part"
sync
touch "$part"
name=$(date -u +%Y-%m-%dT%H-%M-%SZ)
mv "$part" "$folder/base/$name"
bytes=$(du -sk "$folder/base/$name" | cut -f1)000
echo "Backed up to $folder/base/$name, $bytes bytes"

backups | head -n "-$keep" | while read -r old; do rm -rf "$old"; done
first=$(sed -n 's/^START WAL LOCATION: .* (file \([0-9A-F]*\))$/\1/p' "$(backups | head -n 1)/backup_label")
pg_archivecleanup "$folder/log" "$first"

# Last: from here on it counts as made.
psql --quiet --no-psqlrc --no-password --set=ON_ERROR_STOP=1 \
  --output=/dev/null --command="SELECT record_base_backup($bytes)"
