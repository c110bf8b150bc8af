import { setTimeout as pause } from 'node:timers/promises'
import type { Pool } from 'pg'

/** What a reset keeps: bookkeeping of the running process, and keys that it holds in memory. */
const KEPT = ['migrations', 'secrets', 'job_workers']

/** Milliseconds that running jobs have to end. */
const PATIENCE = 5_000

export interface Pristine {
  /** Restores every table and sequence, in milliseconds. */
  restore(): Promise<void>
}

/**
 * Remembers all rows and sequences as they are now. It uses a copy of the few existing rows and one function that
 * deletes and copies back; truncating every table would take a hundred times as long. It needs the right to set
 * `session_replication_role`, which leaves foreign keys unchecked meanwhile.
 */
export async function rememberPristine(pool: Pool): Promise<Pristine> {
  await pool.query(`
    create schema pristine;
    create function pristine.remember() returns void language plpgsql as $remember$
    declare
      tab record;
      seq record;
      filled boolean;
      body text := '';
    begin
      for tab in
        select c.oid, c.relname as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
        from pg_class c join pg_attribute a on a.attrelid = c.oid
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
          and c.relname not in (${KEPT.map((name) => `'${name}'`).join(', ')})
        group by c.oid, c.relname
      loop
        execute format('select exists (select 1 from public.%I)', tab.name) into filled;
        body := body || format(E'if exists (select 1 from public.%1$I) then delete from public.%1$I; end if;\\n', tab.name);
        if filled then
          execute format('create table pristine.%1$I as table public.%1$I', tab.name);
          body := body || format(E'insert into public.%1$I (%2$s) select %2$s from pristine.%1$I;\\n', tab.name, tab.columns);
        end if;
      end loop;
      for seq in select sequencename as name, last_value, start_value from pg_sequences where schemaname = 'public' loop
        body := body || format(E'perform setval(''public.%I'', %s, %L);\\n',
          seq.name, coalesce(seq.last_value, seq.start_value), seq.last_value is not null);
      end loop;
      execute format('create function pristine.restore() returns void language plpgsql as %L set session_replication_role = replica',
        E'begin\\n' || body || 'end');
    end $remember$;
    select pristine.remember();`)
  return { restore: () => restore(pool) }
}

async function restore(pool: Pool): Promise<void> {
  await endJobs(pool)
  await pool.query('select pristine.restore()')
}

/** Drops waiting jobs and waits for running ones, which may still write. */
async function endJobs(pool: Pool): Promise<void> {
  const deadline = Date.now() + PATIENCE
  for (;;) {
    await pool.query('delete from graphile_worker._private_jobs where locked_at is null')
    const { rows } = await pool.query('select 1 from graphile_worker._private_jobs limit 1')
    if (rows.length === 0) return
    if (Date.now() > deadline) throw new Error('A background job does not end, so nothing was reset')
    await pause(5)
  }
}
