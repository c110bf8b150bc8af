import { chown, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { belongsTo, CHECK } from '../secrets.ts'
import { createMasterKey, deriveKey, findMasterKey, type MasterKeySource, mismatch } from '../master-key.ts'
import type { Account } from './account.ts'
import { codeOf } from './errors.ts'
import { DATABASE, PORT, SUPERUSER, USER } from './settings.ts'

/** Who may sign in, in the form of `pg_hba.conf`. */
const RULES = `# Written by Forgelet: its own role alone signs in, with a password that follows from the master key.
local all ${USER} scram-sha-256
`

/** Whether a cluster admits everybody who reaches its socket. New clusters do, and those of older versions did. */
export async function isOpen(cluster: string): Promise<boolean> {
  const rules = await readFile(join(cluster, 'pg_hba.conf'), 'utf8')
  return /^\s*(?:local|host\w*)\s.*\btrust\b/m.test(rules)
}

/** The password of the program's role. It cannot be guessed, whatever hash is used. */
const passwordFrom = (masterKey: string): string =>
  deriveKey(masterKey, 'embedded database').toString('base64url')

/** The running server of a cluster. */
export interface Setup extends MasterKeySource {
  readonly cluster: string
  readonly socketFolder: string
  readonly account: Account
  readonly ephemeral: boolean
}

/**
 * Creates the database and the program's role in an open cluster, and then closes the cluster to everyone else. If
 * this is interrupted, the next start begins again, because the rules change last.
 *
 * @returns the password of the program.
 * @throws {WrongMasterKey} before anything is changed, when the cluster was set up with another key.
 */
export async function closeCluster(setup: Setup): Promise<string> {
  const { cluster, socketFolder, account, ephemeral } = setup
  return withClient(socketFolder, 'postgres', async (admin) => {
    const { rows } = await admin.query('select 1 from pg_database where datname = $1', [DATABASE])
    const isNew = rows.length === 0
    const masterKey = await masterKeyFor(setup, isNew)
    const password = passwordFrom(masterKey)
    await admin.query(roleStatements(password, ephemeral))
    if (isNew) await admin.query(`create database ${DATABASE} owner ${USER}`)
    else await withClient(socketFolder, DATABASE, (client) => client.query(HAND_OVER))
    await writeRules(cluster, account)
    await admin.query('select pg_reload_conf()')
    return password
  })
}

/** What a template has of it: the role without a password, and the database. */
export async function createRoleAndDatabase(admin: Client): Promise<void> {
  await admin.query(`create role ${USER} login`)
  await admin.query(`create database ${DATABASE} owner ${USER}`)
}

/** The key of a cluster. A new cluster gets a new key when none is known. */
async function masterKeyFor(setup: Setup, isNew: boolean): Promise<string> {
  const { socketFolder, dataDir } = setup
  const known = await findMasterKey(setup)
  const check = isNew ? undefined : await withClient(socketFolder, DATABASE, findCheck)
  if (check !== undefined && known === undefined) throw mismatch(dataDir, 'no master key was given')
  if (check !== undefined && known !== undefined && !belongsTo(known, check)) {
    throw mismatch(dataDir, 'another one was given')
  }
  return known ?? (await createMasterKey(dataDir))
}

async function findCheck(client: Client): Promise<Buffer | undefined> {
  const { rows: tables } = await client.query(`select 1 where to_regclass('public.secrets') is not null`)
  if (tables.length === 0) return undefined
  const { rows } = await client.query<{ sealed: Buffer }>('select sealed from secrets where name = $1', [
    CHECK,
  ])
  return rows[0]?.sealed
}

/**
 * The password of a closed cluster.
 * @throws {WrongMasterKey} when no key is known: a new one could not be the right one.
 */
export async function passwordOf(source: MasterKeySource): Promise<string> {
  const known = await findMasterKey(source)
  if (known === undefined) throw mismatch(source.dataDir, 'no master key was given')
  return passwordFrom(known)
}

/** Signs in once as the program. @throws {WrongMasterKey} when the password is refused. */
export async function signIn(socketFolder: string, password: string, dataDir: string): Promise<void> {
  await withClient(socketFolder, DATABASE, async () => {}, { user: USER, password }).catch(
    (error: unknown) => {
      // 28P01: the password is wrong, or the role does not exist.
      throw codeOf(error) === '28P01' ? mismatch(dataDir, 'another one was given') : error
    },
  )
}

/**
 * One round of hashing. The password cannot be guessed anyway, and more rounds would slow down every new connection.
 * On an ephemeral server, the role may also create databases and reset them.
 */
function roleStatements(password: string, ephemeral: boolean): string {
  const more = `alter role ${USER} createdb; grant set on parameter session_replication_role to ${USER};`
  return `
    set scram_iterations = 1;
    do $role$ begin
      if not exists (select 1 from pg_roles where rolname = '${USER}') then create role ${USER}; end if;
    end $role$;
    alter role ${USER} login nosuperuser nocreaterole nobypassrls noreplication password '${password}';
    ${ephemeral ? more : ''}`
}

/**
 * Makes the program's role the owner of what an older version made as the superuser. Extensions stay where they are.
 */
const HAND_OVER = `
  do $owner$
  declare statement text;
  begin
    execute 'alter database ${DATABASE} owner to ${USER}';
    for statement in
      with mine as (select oid from pg_roles where rolname = current_user),
      parts as (
        select objid as oid from pg_depend where deptype = 'e' union
        select objid from pg_depend where classid = 'pg_class'::regclass and deptype in ('a', 'i') and refobjsubid > 0)
      select format('alter schema %I owner to ${USER}', nspname) from pg_namespace
        where nspowner in (select oid from mine) and nspname !~ '^pg_' and nspname <> 'information_schema'
          and oid not in (select oid from parts)
      union all
      select format('alter %s %I.%I owner to ${USER}',
          case relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view' when 'c' then 'type'
            else 'table' end, n.nspname, relname)
        from pg_class c join pg_namespace n on n.oid = relnamespace
        where relowner in (select oid from mine) and relkind in ('r', 'p', 'v', 'm', 'S', 'c')
          and n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and c.oid not in (select oid from parts)
      union all
      select format('alter routine %s owner to ${USER}', p.oid::regprocedure)
        from pg_proc p join pg_namespace n on n.oid = pronamespace
        where proowner in (select oid from mine) and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
          and p.oid not in (select oid from parts)
      union all
      select format('alter type %I.%I owner to ${USER}', n.nspname, typname)
        from pg_type t join pg_namespace n on n.oid = typnamespace
        where typowner in (select oid from mine) and typtype in ('d', 'e', 'r') and n.nspname !~ '^pg_'
          and n.nspname <> 'information_schema' and t.oid not in (select oid from parts)
    loop
      execute statement;
    end loop;
  end $owner$`

async function writeRules(cluster: string, { owner }: Account): Promise<void> {
  const path = join(cluster, 'pg_hba.conf')
  const draft = `${path}.new`
  await writeFile(draft, RULES, { mode: 0o600, flush: true })
  if (owner !== undefined) await chown(draft, owner.uid, owner.gid)
  await rename(draft, path)
}

/** Connects to a server that runs here, as its superuser unless told otherwise, and closes the connection at the end. */
export async function withClient<T>(
  socketFolder: string,
  database: string,
  work: (client: Client) => Promise<T>,
  as: { readonly user: string; readonly password?: string } = { user: SUPERUSER },
): Promise<T> {
  const client = new Client({ host: socketFolder, port: PORT, database, ssl: false, ...as })
  client.on('error', () => {}) // a lost connection also rejects the statement under way
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
