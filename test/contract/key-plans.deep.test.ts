import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { identifyDeployToken } from '#platform/access/deploy-tokens.ts'
import { digestOf } from '#platform/access/digest.ts'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { type Actor, openWorld, type World } from '#test/world.ts'

// How keys and deploy tokens are found in tables that are large because of others.

const USERS = 1_000
const PROJECTS = 5_000
/** Keys of people, and as many deploy keys; few of these are public. */
const KEYS = 30_000

let own: World
let user: Actor
let p: Awaited<ReturnType<World['project']>>

beforeAll(async () => {
  own = await openWorld()
  user = await own.user()
  p = await own.project()
  await fillTables(own, async (db) => {
    await sql`
    insert into users (username, name, email, created_at, updated_at)
    select 'many' || n, 'Many ' || n, 'many' || n || '@example.com', now(), now()
    from generate_series(1, ${USERS}::integer) as n`.execute(db)
    await sql`
    insert into namespaces (kind, parent_id, traversal_ids, path, full_path, name, full_name, visibility, created_at, updated_at)
    select 'project', ${p.groupId}::bigint, array[0], 'p' || n, ${p.fullPath} || n, 'p' || n, 'p' || n, 'private', now(), now()
    from generate_series(1, ${PROJECTS}::integer) as n`.execute(db)
    await sql`update namespaces set traversal_ids = array[id] where path ~ '^p[0-9]+$'`.execute(db)
    await sql`
    insert into projects (project_namespace_id, last_activity_at)
    select id, now() from namespaces where path ~ '^p[0-9]+$'`.execute(db)
    await sql`
    insert into ssh_keys (user_id, public, title, key, fingerprint, fingerprint_sha256, created_at)
    select case when n % 2 = 0 then (select min(id) from users where username like 'many%') + n % ${USERS}::integer end, n % 2000 = 1,
      'Key', 'ssh-ed25519 ' || n, 'md5' || n, 'sha' || n, now()
    from generate_series(1, ${2 * KEYS}::integer) as n`.execute(db)
    await sql`
    insert into deploy_key_projects (project_id, key_id, can_push, created_at, updated_at)
    select (select max(id) from projects) - k.id % ${PROJECTS}::integer, k.id, false, now(), now()
    from ssh_keys k where k.user_id is null and not k.public`.execute(db)
    await sql`
    insert into deploy_tokens (namespace_id, name, scopes, digest, created_at)
    select n.id, 'Token', '{}', sha256((n.id || '-' || t)::bytea), now()
    from namespaces n, generate_series(1, 10) as t where n.kind = 'project'`.execute(db)
    await sql`
    insert into ssh_keys (user_id, title, key, fingerprint, fingerprint_sha256, created_at)
    select ${user.id}::bigint, 'Own', 'ssh-ed25519 x' || n, 'own' || n, 'own' || n, now()
    from generate_series(1, 60) as n`.execute(db)
    const mine = sql`
    insert into ssh_keys (title, key, fingerprint, fingerprint_sha256, created_at)
    select 'Deploy', 'ssh-ed25519 y' || n, 'deploy' || n, 'deploy' || n, now() from generate_series(1, 60) as n returning id`
    await sql`
    with mine as (${mine})
    insert into deploy_key_projects (project_id, key_id, can_push, created_at, updated_at)
    select ${p.id}::bigint, id, true, now(), now() from mine`.execute(db)
  })
  await vacuum(own)
}, 180_000)
afterAll(() => own.running.stop())

const large = ['ssh_keys', 'deploy_key_projects', 'deploy_tokens', 'projects', 'namespaces']

async function plansFor(table: string, by: Actor, path: string) {
  await by.get(path)
  const plans = await plansOf(own, async () => expect((await by.get(path)).status).toBe(200))
  const found = concerning(plans, table)
  expect(found.length).toBeGreaterThan(0)
  return found
}

test.each([
  ['the keys of a user', 'ssh_keys', () => '/user/keys', 'ssh_keys_user'],
  [
    'the deploy keys of a project',
    'ssh_keys',
    () => `/projects/${p.id}/deploy_keys`,
    'deploy_key_projects_project_id_key_id_key',
  ],
  [
    'the deploy tokens of a project',
    'deploy_tokens',
    () => `/projects/${p.id}/deploy_tokens`,
    'deploy_tokens_namespace',
  ],
])('%s are found by their index', async (_, table, path, index) => {
  const by = table === 'ssh_keys' && index === 'ssh_keys_user' ? user : p.owner
  for (const { scanned, indexes } of await plansFor(table, by, path())) {
    expect(scanned.filter((name) => large.includes(name))).toEqual([])
    expect(indexes).toContain(index)
  }
})

test.each([
  ['deploy keys', 'ssh_keys', '/deploy_keys'],
  ['public deploy keys', 'ssh_keys', '/deploy_keys?public=true'],
  ['deploy tokens', 'deploy_tokens', '/deploy_tokens'],
])('administrators list the %s of the instance without sorting them', async (_, table, path) => {
  for (const { sorts } of await plansFor(table, own.root, path)) {
    expect(sorts.filter((key) => /^k\.id|^t\.id/.test(key))).toEqual([])
  }
})

test.each(['00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff', `SHA256:${'A'.repeat(43)}`])(
  'the key with the fingerprint %s is found by an index',
  async (fingerprint) => {
    const plans = await plansOf(own, () => own.root.get(`/keys?fingerprint=${fingerprint}`))
    for (const { scanned } of concerning(plans, 'ssh_keys')) expect(scanned).not.toContain('ssh_keys')
  },
)

test('the keys that two people share are found by their projects', async () => {
  const path = `/users/${p.maintainer.id}/project_deploy_keys`
  for (const { scanned, sql: text } of await plansFor('ssh_keys', p.owner, path)) {
    expect({ text, scanned: scanned.filter((name) => large.includes(name)) }).toEqual({ text, scanned: [] })
  }
})

test('a deploy token is found by its digest', async () => {
  const plans = await plansOf(own, () =>
    identifyDeployToken(own.running.services, { username: 'x', digest: digestOf('secret') }),
  )
  for (const { indexes, scanned } of concerning(plans, 'deploy_tokens')) {
    expect(indexes).toContain('deploy_tokens_digest_key')
    expect(scanned).toEqual([])
  }
})
