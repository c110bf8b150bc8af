import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { startChild } from './children.ts'
import { ROOT_TOKEN } from './jobs.ts'
import { type Measure, reported } from './measures.ts'
import type { Server } from './server.ts'

const SUPERUSER = 'forgelet'
/** How often each request is sent before plans are counted. PostgreSQL decides for good after the first few. */
const CALLS = 30
const SHOWN = 30

/** Lets PostgreSQL count the plans of statements, and whoever runs this be its superuser, in a folder without a server. */
export async function withPlanningCounted(dataDir: string): Promise<void> {
  const made = await startChild('boot.js', [], {
    FORGELET_DATA: dataDir,
    FORGELET_PORT: '0',
    FORGELET_ROOT_TOKEN: ROOT_TOKEN,
  })
  await made[Symbol.asyncDispose]()
  const cluster = join(dataDir, 'postgresql')
  await appendFile(
    join(cluster, 'postgresql.auto.conf'),
    `shared_preload_libraries = 'pg_stat_statements'\npg_stat_statements.track_planning = on\npg_stat_statements.track = none\n`,
  )
  // Whoever can enter the folder of the socket. PostgreSQL may see users under other names.
  await appendFile(join(cluster, 'pg_ident.conf'), `bench /^ ${SUPERUSER}\n`)
  await appendFile(join(cluster, 'pg_hba.conf'), `local all ${SUPERUSER} peer map=bench\n`)
}

interface Planned {
  readonly calls: number
  readonly plans: number
  readonly planning: number
  readonly executing: number
  readonly text: string
}

/** Statements that PostgreSQL plans at least at every second call, with the milliseconds that each plan takes. */
export async function measurePlanning(
  { said: { address } }: Server,
  requests: readonly (() => Promise<void>)[],
): Promise<Measure[]> {
  const { host, port, database } = address
  const client = new pg.Client({ host, port, database, user: SUPERUSER })
  await client.connect()
  try {
    await client.query('create extension if not exists pg_stat_statements')
    await client.query('alter system set pg_stat_statements.track = top')
    await client.query('select pg_reload_conf()')
    await client.query('select pg_stat_statements_reset()')
    for (const request of requests) for (let call = 0; call < CALLS; call += 1) await request()
    const { rows } = await client.query<Planned>(
      `select calls::integer, plans::integer, mean_plan_time as planning, mean_exec_time as executing,
        regexp_replace(left(query, 400), '\\s+', ' ', 'g') as text
      from pg_stat_statements where calls >= ${CALLS / 2} and plans > calls / 2 and mean_plan_time > 0.05
      order by plans * mean_plan_time desc limit ${SHOWN}`,
    )
    return rows.map(({ calls, plans, planning, executing, text }) =>
      reported(
        `planned at each call: ${text.slice(0, 110)}`,
        `${planning.toFixed(2)} ms, ${executing.toFixed(2)} ms to run, ${plans} of ${calls}`,
      ),
    )
  } finally {
    await client.end()
  }
}
