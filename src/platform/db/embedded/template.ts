import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Client } from 'pg'
import { createRoleAndDatabase, withClient } from './access.ts'
import type { Account } from './account.ts'
import type { Binaries } from './binaries.ts'
import { launchServer } from './server.ts'
import type { ServerLog } from './server-log.ts'
import { cleanEnvironment, DATABASE, PORT, serverArguments, USER } from './settings.ts'
import { claimFolder } from './socket-folder.ts'
import type { RunProgram } from './programs.ts'
import type { Template } from './types.ts'

/** Every template has this in its name. */
export const TEMPLATE_PREFIX = 'cluster-'

interface Making {
  /** The cluster that initdb has just made. Nothing is started on it. */
  readonly cluster: string
  readonly socketFolder: string
  readonly account: Account
  readonly binaries: Binaries
  readonly env: Record<string, string>
  readonly serverLog: ServerLog
  readonly watch: (pid: number | undefined) => void
  readonly run: RunProgram
  readonly sync: (folder: string) => Promise<void>
}

/** Prepares a new cluster and keeps a copy of it for the next ones. @throws when either fails; the cluster may then be used no more. */
export async function makeTemplate(template: Template, making: Making): Promise<void> {
  const log = await prepareCluster(template, making)
  const parent = dirname(template.folder)
  const draft = await mkdtemp(join(parent, `draft-${TEMPLATE_PREFIX}`))
  try {
    await claimFolder(draft, making.account)
    await copyCluster(making.cluster, draft, making.run)
    await removeOldLogs(draft, log)
    // Other accounts copy it, too: which one PostgreSQL runs under depends on the data folder. There is no secret in it.
    await shell(making.run, 'chmod -R a+rX "$1"', [draft])
    await making.sync(draft)
    if (hasTemplate(template)) return // Somebody else was faster.
    await rm(template.folder, { recursive: true, force: true })
    await rename(draft, template.folder)
    await removeOthers(parent, basename(template.folder))
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Copies the files of a cluster that nothing runs on. They belong to the account that copies them, and are for it alone. */
export async function copyCluster(from: string, to: string, run: RunProgram): Promise<void> {
  await shell(run, 'umask 077 && cp -R "$1/." "$2"', [from, to])
}

async function shell(run: RunProgram, script: string, values: string[]): Promise<void> {
  const { code, output } = await run('/bin/sh', ['-c', script, 'sh', ...values])
  if (code !== 0) throw new Error(`The cluster could not be copied: ${output.trim()}`)
}

/** @returns the name of the only file of the write-ahead log that the cluster still needs. */
async function prepareCluster(template: Template, making: Making): Promise<string> {
  const { cluster, socketFolder, account, binaries, env, serverLog, watch } = making
  // Durability comes later, when the files are copied and synced.
  const command = account.command(
    binaries.postgres,
    serverArguments(cluster, socketFolder, true, binaries.major),
  )
  const server = launchServer({
    ...command,
    env: cleanEnvironment(env),
    log: serverLog,
    onAccepting: () => {},
  })
  watch(server.pid)
  try {
    if (!(await server.ready)) throw new Error(`PostgreSQL did not start: ${serverLog.recent()}`)
    await withClient(socketFolder, 'postgres', createRoleAndDatabase)
    await template.prepare({ host: socketFolder, port: PORT, user: USER, database: DATABASE })
    return await withClient(socketFolder, 'postgres', nextLog)
  } finally {
    server.signal('SIGINT')
    await server.exited
    watch(undefined)
  }
}

/** Begins another file of the write-ahead log, so that those before it are needed no more after the shutdown. */
async function nextLog(client: Client): Promise<string> {
  await client.query('select pg_switch_wal()')
  await client.query('checkpoint')
  const { rows } = await client.query<{ name: string }>(
    'select pg_walfile_name(pg_current_wal_insert_lsn()) as name',
  )
  return rows[0]?.name ?? ''
}

async function removeOldLogs(cluster: string, needed: string): Promise<void> {
  const folder = join(cluster, 'pg_wal')
  const names = await readdir(folder)
  if (!names.includes(needed)) throw new Error(`${folder} lacks ${needed}`)
  const others = names.filter((name) => /^[0-9A-F]{24}$/.test(name) && name !== needed)
  await Promise.all(others.map((name) => rm(join(folder, name))))
}

/** Templates of earlier versions. */
async function removeOthers(parent: string, kept: string): Promise<void> {
  const others = (await readdir(parent)).filter((name) => name.startsWith(TEMPLATE_PREFIX) && name !== kept)
  await Promise.all(others.map((name) => rm(join(parent, name), { recursive: true, force: true })))
}

/** Whether there is one to copy. */
export const hasTemplate = ({ folder }: Template): boolean => existsSync(join(folder, 'global', 'pg_control'))

/** Whether one can be made. */
export async function canKeep({ folder }: Template): Promise<boolean> {
  return mkdir(dirname(folder), { recursive: true }).then(
    () => true,
    () => false,
  )
}
