import { pino } from 'pino'
import { sql } from 'kysely'
import { readConfig } from '#config.ts'
import { transact } from '#db/transaction.ts'
import { createGroup } from '#groups/create-group.ts'
import { addMember } from '#members/add-member.ts'
import { createProject } from '#projects/create-project.ts'
import { createToken } from '#tokens/create-token.ts'
import { createUser } from '#users/create-user.ts'
import { startServer } from '../src/server.ts'

// The server under measurement, with a project of 100 labels and somebody who may read them. Says where it is,
// and which statements, with which values, one list of labels costs.

let statements: { text: string; values: readonly unknown[] }[] = []
const { url, services } = await startServer({
  config: readConfig({ FORGELET_PORT: '0' }),
  log: pino({ level: 'warn' }),
  ephemeral: true,
  withPassword: false,
  onStatement: (text, values) => statements.push({ text, values }),
})
const { token, project } = await transact(services, { author: null, ip: null }, async (tx) => {
  const user = await createUser(tx, {
    username: 'reader',
    name: 'Reader',
    email: 'reader@example.com',
    passwordDigest: null,
  })
  const { id } = await createGroup(tx, {
    name: 'Bench',
    path: 'bench',
    visibility: 'private',
    parentId: null,
  })
  await addMember(tx, { namespaceId: id, userId: user.id, accessLevel: 10 })
  const made = await createProject(tx, {
    name: 'Bench',
    path: 'project',
    visibility: 'private',
    parentId: id,
  })
  const { secret } = await createToken(tx, {
    kind: 'personal',
    userId: user.id,
    name: 'bench',
    scopes: ['api'],
    expiresAt: null,
    prefix: 'glpat-',
  })
  return { token: secret, project: made.id }
})
// Neighbours, so that plans are those of a used instance and not of empty tables.
for (const parentId of await transact(services, { author: null, ip: null }, async (tx) => {
  const ids: number[] = []
  for (let count = 0; count < 50; count += 1) {
    const path = `other-${count}`
    const { id } = await createGroup(tx, { name: path, path, visibility: 'private', parentId: null })
    ids.push(
      (await createProject(tx, { name: 'Other', path: 'other', visibility: 'private', parentId: id })).id,
    )
  }
  return [project, ...ids]
})) {
  await sql`
    with made as (
      insert into labels (namespace_id, name, color, description, created_at, updated_at)
      select (select project_namespace_id from projects where id = ${parentId}), 'label ' || lpad(n::text, 4, '0'),
        '#d9534f', 'What it is for, in a line.', now(), now()
      from generate_series(1, 100) as n
      returning id, name
    ), prioritized as (
      insert into label_priorities (project_id, label_id, priority)
      select ${parentId}, id, 1 from made where name like '%5'
    )
    insert into label_subscriptions (label_id, user_id, created_at) select id, 1, now() from made where name like '%7'
  `.execute(services.db)
}
await sql`analyze`.execute(services.db)
const list = `${url}/api/v4/projects/${project}/labels`
await fetch(list, { headers: { 'private-token': token } })
statements = []
await fetch(list, { headers: { 'private-token': token } })
const { options } = services.pool
process.stdout.write(
  `${JSON.stringify({ url: list, token, statements, address: { host: options.host, port: options.port, user: options.user, database: options.database } })}\n`,
)
// Ends by itself when asked, so that --cpu-prof can write what it saw.
process.once('SIGTERM', () => process.exit(0))
