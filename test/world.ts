import { AsyncLocalStorage } from 'node:async_hooks'
import { join } from 'node:path'
import { mkdir, writeFile } from 'node:fs/promises'
import { pino } from 'pino'
import { inject } from 'vitest'
import { csrfTokenOf } from '#platform/access/csrf.ts'
import type { Plan } from '#platform/access/route-access.ts'
import { levels, type MemberLevel, type Role } from '#platform/access/roles.ts'
import type { Scope } from '#platform/access/scopes.ts'
import { readConfig } from '#platform/config/config.ts'
import { systemRandomness } from '#platform/context.ts'
import type { OnStatement, QueryPlan } from '#platform/db/driver.ts'
import { type Db, openDb } from '#platform/db/pool.ts'
import type { LicensedPlan, Visibility } from '#platform/db/schema.ts'
import { transact, type Tx } from '#platform/db/transaction.ts'
import { dayOf, daysAfter } from '#platform/http/time.ts'
import { currentCaller } from '#platform/shares/caller.ts'
import { addLicense } from '#administration/licenses/add-license.ts'
import { deleteLicense } from '#administration/licenses/delete-license.ts'
import { ownKey } from '#administration/licenses/keys.ts'
import { type LicenseTerms, readLicense, signLicense } from '#administration/licenses/license-string.ts'
import { createGroup } from '#tenancy/groups/create-group.ts'
import { addMember } from '#tenancy/members/add-member.ts'
import { createProject } from '#tenancy/projects/create-project.ts'
import { createSession } from '#identity/sessions/create-session.ts'
import { createToken } from '#identity/tokens/create-token.ts'
import { createUser, type NewUser } from '#identity/users/create-user.ts'
import type { RunningServer } from '#server-options.ts'
import { startServer } from '#server.ts'
import { describeRoutes } from './answered.ts'
import { Client } from './client.ts'
import { clock } from './clock.ts'
import { keepDeadlocks } from './deadlock-lines.ts'
import { ROOT_TOKEN, SECRET_KEY, STORAGE } from './database.ts'
import { type Address, newDatabase, urlOf } from './new-database.ts'
import { watchNode } from './nodes.ts'
import { insertPeople } from './people.ts'
import './written.ts'

/** A user of the server under test, who sends requests with a token of the scope `api`. */
export class Actor extends Client {
  readonly id: number
  readonly username: string
  readonly token: string

  constructor(base: string, id: number, username: string, token: string) {
    super(base, { 'private-token': token })
    this.id = id
    this.username = username
    this.token = token
  }
}

/** The roles that {@link World.project} and {@link World.group} give somebody. */
const cast = [
  'guest',
  'planner',
  'reporter',
  'securityManager',
  'developer',
  'maintainer',
  'owner',
] as const satisfies Role[]
type Cast = Record<(typeof cast)[number], Actor>
/** The cast and a signed-in user without any membership. */
type PlaceActors = Cast & { readonly stranger: Actor }

export interface ContainerOptions {
  readonly visibility?: Visibility
  readonly path?: string
  /** The id of the group to put it in. */
  readonly parent?: number
}

export interface Place extends PlaceActors {
  /** Of the project or group. */
  readonly id: number
  readonly fullPath: string
  /** The path as it stands in URLs. */
  readonly encoded: string
  readonly anonymous: Client
  readonly admin: Actor
}

let serial = 0
/** A name that no other test uses. */
export const unique = (name: string) => `${name}-${(serial += 1)}`

type Environment = Readonly<Record<string, string>>
/** What a server is configured with; undefined takes away what servers of tests have. */
type Configuration = Readonly<Record<string, string | undefined>>

const { TEST_LOG: level } = process.env
const quiet = level === undefined ? pino({ level: 'warn' }, keepDeadlocks) : pino({ level })

/** A server of its own on a fresh database, for tests that would disturb the others; on a plan for all of them. */
export async function openWorld(log = quiet, plan?: Plan, env: Configuration = {}) {
  const watchers = new Set<Statement[]>()
  const address = await newDatabase()
  await makeStorage(address)
  return new World(await serve(address, { watchers, log, env, plan }), address, watchers)
}

interface Serving {
  readonly watchers?: ReadonlySet<Statement[]>
  readonly log?: typeof quiet
  readonly env?: Configuration
  readonly plan?: Plan | undefined
  readonly jobs?: boolean
}

/** One PostgreSQL serves the servers of all workers. */
const FEW = { FORGELET_DATABASE_CONNECTIONS: '8' }

function serve(
  address: Address,
  { watchers = new Set(), log = quiet, env, plan, jobs = true }: Serving = {},
) {
  return startServer({
    config: readConfig({
      FORGELET_DATA: inject('dataDir'),
      FORGELET_PORT: '0',
      FORGELET_SECRET_KEY: SECRET_KEY,
      FORGELET_TRUSTED_PROXIES: '127.0.0.9',
      FORGELET_STORAGES: storageOf(address),
      FORGELET_PLAIN_PG: process.env['FORGELET_PLAIN_PG'],
      ...env,
    }),
    log,
    address,
    clock,
    random: systemRandomness,
    withPassword: false,
    jobs,
    ...(plan && { plan }),
    onStatement: tellOfWork(watchers),
  })
}

const folderOf = ({ database }: Address) => join(inject('dataDir'), `repositories-${database}`)

/** The repositories of a database have a folder of their own: a server moves aside those that its database does not know. */
const storageOf = (address: Address) => `default=${folderOf(address)};second=${folderOf(address)}-second`

/** Makes that folder, with the id that the database has for it from its template. */
async function makeStorage(address: Address): Promise<void> {
  await mkdir(folderOf(address), { recursive: true })
  await writeFile(join(folderOf(address), STORAGE.file), STORAGE.id)
}

const tell =
  (watchers: ReadonlySet<Statement[]>): OnStatement =>
  (sql, parameters, plan, name) => {
    for (const statements of watchers) statements.push({ sql, parameters, plan, name })
  }

/** A statement as it was sent. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly plan: QueryPlan
  /** Under which PostgreSQL keeps it, if it does. */
  readonly name: string | undefined
}

/** Whether this code runs for somebody who watches. */
const watched = new AsyncLocalStorage<boolean>()

/** Tells of requests, and of what a test calls itself: not of what runs beside them, by a timer or a notification. */
const tellOfWork =
  (watchers: ReadonlySet<Statement[]>): OnStatement =>
  (...statement) => {
    if (currentCaller() !== undefined || watched.getStore() === true) tell(watchers)(...statement)
  }

/** The server under test, its database, and makers of rows that belong to one test alone. */
export class World {
  readonly url: string
  readonly root: Actor
  readonly anonymous: Client
  readonly running: RunningServer
  /** For the rows of tests. Unlike what requests read, filling a table may take long. */
  readonly db: Db
  readonly clock = clock
  readonly #address: Address
  /** What those who watch are told: keeping all statements of a run would fill the memory. */
  readonly #watchers: Set<Statement[]>
  #licensed: Promise<RunningServer> | undefined
  #places = 0
  #analyzeAt = 16

  constructor(running: RunningServer, address: Address, watchers: Set<Statement[]>) {
    this.running = running
    this.db = openDb(running.services.pool, tell(watchers))
    describeRoutes(running.app.declaredRoutes)
    this.#address = address
    this.url = running.url
    this.root = new Actor(running.url, 1, 'root', ROOT_TOKEN)
    this.anonymous = new Client(running.url)
    this.#watchers = watchers
  }

  /** What a program in a process of its own needs to work on this database. */
  get environment(): Environment {
    return {
      FORGELET_DATA: inject('dataDir'),
      FORGELET_DATABASE_URL: urlOf(this.#address),
      FORGELET_STORAGES: storageOf(this.#address),
      FORGELET_SECRET_KEY: SECRET_KEY,
    }
  }

  /** Another server on the same database, as a second node is; whoever starts it stops it. `env` is what it is configured with, `plan` what it counts as licensed for. */
  async another(log = quiet, env: Configuration = {}, plan?: Plan): Promise<RunningServer> {
    return watchNode(await serve(this.#address, { log, env: { ...FEW, ...env }, plan }))
  }

  /** A server of the same instance that has every plan. It takes no jobs, and stays open as long as the world does. */
  licensed(): Promise<RunningServer> {
    return (this.#licensed ??= serve(this.#address, {
      watchers: this.#watchers,
      env: FEW,
      plan: 'ultimate',
      jobs: false,
    }))
  }

  /** Writes as `author`, the administrator unless named. */
  write<T>(work: (tx: Tx) => Promise<T>, author: { id: number; username: string } = this.root): Promise<T> {
    return transact(this.running.services, { author, ip: null }, work)
  }

  /** A user with a token. */
  async user(options: Partial<NewUser> & { scopes?: readonly Scope[] } = {}): Promise<Actor> {
    return this.write((tx) => this.#user(tx, options))
  }

  async #user(tx: Tx, { scopes = ['api'], ...options }: Partial<NewUser> & { scopes?: readonly Scope[] }) {
    const username = options.username ?? unique('user')
    const { id } = await createUser(tx, {
      name: username,
      email: `${username}@example.com`,
      passwordDigest: null,
      ...options,
      username,
    })
    const { secret } = await createToken(tx, {
      kind: 'personal',
      userId: id,
      name: 'test',
      scopes,
      expiresAt: null,
      prefix: 'glpat-',
    })
    return new Actor(this.url, id, username, secret)
  }

  /** Another token of a user. */
  async token(user: { id: number }, scopes: readonly Scope[] = ['api'], expiresAt: string | null = null) {
    const made = await this.write((tx) =>
      createToken(tx, {
        kind: 'personal',
        userId: user.id,
        name: 'test',
        scopes,
        expiresAt,
        prefix: 'glpat-',
      }),
    )
    return { ...made, client: new Client(this.url, { 'private-token': made.secret }) }
  }

  /** Somebody signed in with a browser: sends the cookie, and for writes the CSRF token of its session. */
  async session(user: { id: number }) {
    const made = await this.write((tx) =>
      createSession(tx, { userId: user.id, userAgent: 'test', minutes: 60 }),
    )
    const cookie = `_service_session=${made.secret}`
    return {
      ...made,
      cookie,
      csrf: csrfTokenOf(made.secret),
      reader: new Client(this.url, { cookie }),
      client: new Client(this.url, { cookie, 'x-csrf-token': csrfTokenOf(made.secret) }),
    }
  }

  /** Makes somebody a member of a group or project (by the id of its namespace). */
  async member(namespaceId: number, user: { id: number }, accessLevel: MemberLevel): Promise<void> {
    await this.write((tx) => addMember(tx, { namespaceId, userId: user.id, accessLevel }))
  }

  /** The same for somebody who may be one already. */
  async memberAtLeast(namespaceId: number, { id }: { id: number }, accessLevel: MemberLevel): Promise<void> {
    const now = clock.now().toISOString()
    const level = { access_level: accessLevel, created_at: now, updated_at: now }
    await this.db
      .insertInto('members')
      .values({ namespace_id: namespaceId, user_id: id, ...level })
      .onConflict((oc) => oc.doNothing())
      .execute()
  }

  /** A project in a group of its own (or in `parent`), with somebody of each role. */
  async project({ visibility = 'private', path = unique('project'), parent }: ContainerOptions = {}): Promise<
    Place & { groupId: number; namespaceId: number }
  > {
    await this.#renewStatistics()
    return this.write(async (tx) => {
      const system = { ...tx, author: null }
      const groupId =
        parent ??
        (
          await createGroup(system, {
            name: unique('Group'),
            path: unique('group'),
            visibility,
            parentId: null,
          })
        ).id
      const project = await createProject(system, { name: path, path, visibility, parentId: groupId })
      const { project_namespace_id: namespaceId } = await tx.db
        .selectFrom('projects')
        .select('project_namespace_id')
        .where('id', '=', project.id)
        .executeTakeFirstOrThrow()
      return { ...(await this.#place(tx, project, namespaceId)), groupId, namespaceId }
    })
  }

  /** A group (below `parent`), with somebody of each role. */
  async group({
    visibility = 'private',
    path = unique('group'),
    parent,
  }: ContainerOptions = {}): Promise<Place> {
    await this.#renewStatistics()
    return this.write(async (tx) => {
      const system = { ...tx, author: null }
      const group = await createGroup(system, { name: path, path, visibility, parentId: parent ?? null })
      return this.#place(tx, group, group.id)
    })
  }

  /**
   * By the statistics of an empty database, PostgreSQL plans to read whole tables, and it keeps such plans for prepared
   * statements: renews the statistics whenever the number of places has doubled.
   */
  async #renewStatistics(): Promise<void> {
    this.#places += 1
    if (this.#places < this.#analyzeAt) return
    this.#analyzeAt *= 2
    await this.running.services.pool.query(
      'analyze namespaces, users, members, access_tokens, projects, issues, noteables, notes, shares',
    )
  }

  async #place(
    tx: Tx,
    { id, full_path }: { id: number; full_path: string },
    namespaceId: number,
  ): Promise<Place> {
    const people = await insertPeople(tx, namespaceId, [
      ...cast.map((role) => ({ username: unique(role), level: levels[role] })),
      { username: unique('stranger'), level: null },
    ])
    const actors = people.map((person) => new Actor(this.url, person.id, person.username, person.token))
    return {
      id,
      fullPath: full_path,
      encoded: encodeURIComponent(full_path),
      anonymous: this.anonymous,
      admin: this.root,
      ...(Object.fromEntries([...cast, 'stranger'].map((role, i) => [role, actors[i]])) as PlaceActors),
    }
  }

  /** Licenses the instance while `work` runs. */
  async onPlan<T>(plan: LicensedPlan, work: () => Promise<T>): Promise<T> {
    const { licenses } = this.running.services
    const id = await this.license({ plan })
    try {
      return await work()
    } finally {
      await this.write((tx) => deleteLicense(tx, id))
      await licenses.reload()
    }
  }

  /** Adds a license of the instance's own, for this day and the next unless `terms` say otherwise. @returns its id. */
  async license(terms: Partial<LicenseTerms> = {}): Promise<number> {
    const license = readLicense(await this.licenseString(terms))
    const id = await this.write((tx) => addLicense(tx, license))
    await this.running.services.licenses.reload()
    return id
  }

  /** A license string signed by the instance, which nobody has added yet. */
  async licenseString(terms: Partial<LicenseTerms> = {}): Promise<string> {
    const today = dayOf(clock.now())
    const standard: LicenseTerms = {
      jti: unique('license'),
      plan: 'premium',
      starts_at: today,
      expires_at: daysAfter(today, 1),
      users: 0,
      licensee: { Name: 'Test', Email: 'test@example.com', Company: 'Tests' },
      add_ons: {},
    }
    return signLicense({ ...standard, ...terms }, await ownKey(this.running.services.secrets))
  }

  /** The texts of the statements that requests send while `work` runs, one after the other. */
  async statements(work: () => Promise<unknown>): Promise<string[]> {
    return (await this.sent(work)).map(({ sql }) => sql)
  }

  /** The same, with what was sent along. */
  async sent(work: () => Promise<unknown>): Promise<Statement[]> {
    const statements: Statement[] = []
    this.#watchers.add(statements)
    await watched.run(true, work).finally(() => this.#watchers.delete(statements))
    return statements
  }
}

/** One world for each worker, opened by the first file that needs it. */
export const w = await openWorld()
