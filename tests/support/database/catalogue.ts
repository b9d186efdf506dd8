import type pg from 'pg'

export interface CatalogueEntry {
  readonly kind: 'function' | 'relation' | 'column' | 'constraint' | 'index' | 'trigger' | 'policy'
  readonly name: string
  readonly definition: string
  /** In one order, whatever the order of their GRANTs was. */
  readonly rights: string
}

const rightsOf = (acl: string) =>
  `coalesce((SELECT string_agg(item::text, ' ' ORDER BY item::text) FROM unnest(${acl}) item), 'default')`

/** Everything of ours as the database has it, without the order of columns. */
export async function listCatalogue(client: pg.Client): Promise<CatalogueEntry[]> {
  const { rows } = await client.query<CatalogueEntry>(`
    WITH relations AS (SELECT * FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'S'))
    SELECT 'function' AS kind, oid::regprocedure::text AS name, pg_get_functiondef(oid) AS definition, ${rightsOf('proacl')} AS rights
    FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL
    SELECT 'relation', relname, concat_ws(' ', relkind, relrowsecurity, CASE relkind WHEN 'v' THEN pg_get_viewdef(oid) END),
      ${rightsOf('relacl')}
    FROM relations
    UNION ALL
    SELECT 'column', relname || '.' || attname, concat_ws(' ', format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated,
      pg_get_expr(adbin, adrelid)), ${rightsOf('attacl')}
    FROM relations JOIN pg_attribute a ON attrelid = relations.oid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE relkind <> 'S' AND attnum > 0 AND NOT attisdropped
    UNION ALL
    SELECT 'constraint', concat_ws('.', nullif(conrelid, 0)::regclass, nullif(contypid, 0)::regtype, conname), pg_get_constraintdef(oid), ''
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
    UNION ALL
    SELECT 'index', indexrelid::regclass::text, pg_get_indexdef(indexrelid), '' FROM pg_index JOIN relations ON relations.oid = indrelid
    UNION ALL
    SELECT 'trigger', relname || '.' || tgname, pg_get_triggerdef(t.oid), ''
    FROM pg_trigger t JOIN relations ON relations.oid = tgrelid WHERE NOT tgisinternal
    UNION ALL
    SELECT 'policy', tablename || '.' || policyname, concat_ws(' ', permissive, roles, cmd, qual, with_check), ''
    FROM pg_policies WHERE schemaname = 'public'
    ORDER BY 1, 2`)
  return rows
}
