import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { transact } from '#platform/db/transaction.ts'
import type { JobContext } from '#platform/jobs/task.ts'
import { mails as listener } from '#test/smtp.ts'
import { w } from '#test/mail-world.ts'
import { tellOfExpiry } from './tell-expiry.ts'

async function run(day: string): Promise<void> {
  w.clock.hold(`${day}T00:10:00Z`)
  const { services } = w.running
  const job: JobContext = {
    ...services,
    log: pino({ level: 'silent' }),
    attempt: 1,
    signal: new AbortController().signal,
    transact: (work, author) => transact(services, { author: author ?? null, ip: null }, work),
  }
  await tellOfExpiry.execute({}, job)
}

/** What was told of a token, in order. */
async function told(id: number): Promise<unknown[]> {
  const facts = await w.db
    .selectFrom('facts')
    .select(['details', 'at', 'namespace_id', 'actor_id'])
    .where('name', '=', 'token expires soon')
    .where('target_id', '=', id)
    .orderBy('id')
    .execute()
  return facts.map(({ details, at }) =>
    typeof details === 'object' && details !== null && 'days' in details
      ? [details['days'], at.slice(0, 10)]
      : at,
  )
}

/** Made less than 60 days before it ends, on the last of March. */
async function tokenUntil(expires_at = '2025-03-31', created = '2025-02-10') {
  w.clock.hold(`${created}T12:00:00Z`)
  return w.token(await w.user(), ['api'], expires_at)
}

describe('the daily job', () => {
  test('tells of a token 30, 7 and 1 days before its end, once each', async () => {
    const { id } = await tokenUntil()
    for (const day of ['2025-02-28', '2025-03-01', '2025-03-01', '2025-03-02', '2025-03-23', '2025-03-24'])
      await run(day)
    expect(await told(id)).toEqual([
      [30, '2025-03-01'],
      [7, '2025-03-24'],
    ])
    for (const day of ['2025-03-29', '2025-03-30', '2025-03-30', '2025-03-31', '2025-04-01']) await run(day)
    expect((await told(id)).slice(2)).toEqual([[1, '2025-03-30']])
  })

  test('is late rather than silent, and leaves out what the next notice says better', async () => {
    const { id } = await tokenUntil()
    await run('2025-03-10')
    expect(await told(id)).toEqual([[30, '2025-03-10']])
    const other = await tokenUntil()
    await run('2025-03-26')
    expect(await told(other.id)).toEqual([[7, '2025-03-26']])
  })

  test('tells nothing on the day on which a token is made for so long', async () => {
    const { id } = await tokenUntil('2025-01-08', '2025-01-01')
    for (const day of ['2025-01-01', '2025-01-02', '2025-01-06']) await run(day)
    expect(await told(id)).toEqual([])
    await run('2025-01-07')
    expect(await told(id)).toEqual([[1, '2025-01-07']])
  })

  test('tells of tokens of projects and groups there; not of impersonation, revoked or endless ones', async () => {
    w.clock.hold('2025-01-01T12:00:00Z')
    const place = await w.project()
    const asked = { name: 'robot', scopes: ['api'], expires_at: '2025-02-20' }
    const made = async (path: string) => (await w.root.post(path, asked)).body.id as number
    const ofProject = await made(`/projects/${place.id}/access_tokens`)
    const ofGroup = await made(`/groups/${place.groupId}/access_tokens`)
    const impersonation = await made(`/users/${place.guest.id}/impersonation_tokens`)
    const revoked = await made(`/users/${place.guest.id}/personal_access_tokens`)
    await w.root.delete(`/personal_access_tokens/${revoked}`)
    const endless = await w.token(place.guest)
    await Promise.all([run('2025-02-15'), run('2025-02-15')])
    expect(await told(ofProject)).toEqual([[7, '2025-02-15']])
    expect(await told(ofGroup)).toEqual([[7, '2025-02-15']])
    for (const id of [impersonation, revoked, endless.id]) expect(await told(id)).toEqual([])
    const fact = await w.db
      .selectFrom('facts')
      .select(['namespace_id', 'actor_id', 'details'])
      .where('name', '=', 'token expires soon')
      .where('target_id', '=', ofProject)
      .executeTakeFirst()
    expect(fact).toEqual({
      namespace_id: place.namespaceId,
      actor_id: null,
      details: { name: 'robot', expires_at: '2025-02-20', days: 7 },
    })
  })
})

describe('mails about tokens that expire soon', () => {
  test('go to the owner of a personal token, 60, 30, 7 and 1 days before', async () => {
    w.clock.hold('2024-12-01T12:00:00Z')
    const user = await w.user()
    await w.token(user, ['api'], '2025-03-31')
    for (const day of ['2025-01-30', '2025-01-30', '2025-03-01', '2025-03-24', '2025-03-30']) await run(day)
    const mails = await listener.readMails(`${user.username}@example.com`, 4)
    expect(new Set(mails.map(({ subject }) => subject))).toEqual(
      new Set([
        'Your access token expires in 30 days or less',
        'Your access token expires in 60 days or less',
        'Your access token expires in 7 days or less',
        'Your access token expires tomorrow',
      ]),
    )
    expect(mails[0]?.text).toContain(`${w.url}/-/user_settings/personal_access_tokens`)
  })

  test('go to the direct maintainers and owners of a project, the direct owners of a group, and nobody else', async () => {
    w.clock.hold('2025-01-01T12:00:00Z')
    const place = await w.project()
    const group = await w.group()
    const asked = { name: 'robot', scopes: ['api'], expires_at: '2025-02-20' }
    await w.root.post(`/projects/${place.id}/access_tokens`, asked)
    await w.root.post(`/groups/${group.id}/access_tokens`, asked)
    await run('2025-02-15')
    const to = (who: { username: string }) => `${who.username}@example.com`
    for (const who of [place.maintainer, place.owner]) {
      const mail = await listener.readMail(to(who))
      expect(mail.subject).toBe(`${place.fullPath}: access token expires in 7 days or less`)
      expect(mail.text).toContain(`The access token of ${place.fullPath} "robot"`)
    }
    await listener.readMail(to(group.owner))
    for (const who of [place.developer, place.guest, place.stranger, group.maintainer])
      expect(listener.mailsTo(to(who))).toEqual([])
  })
})

test('a token works until its day begins, in UTC, and not from then on', async () => {
  w.clock.hold('2025-01-01T12:00:00Z')
  const { id, owner } = await w.project()
  const { body } = await owner.post(`/projects/${id}/access_tokens`, {
    name: 'robot',
    scopes: ['api'],
    expires_at: '2025-02-20',
  })
  const bot = w.anonymous.with({ 'private-token': body.token })
  w.clock.hold('2025-02-19T23:59:59.999Z')
  expect((await bot.get(`/projects/${id}`)).status).toBe(200)
  w.clock.hold('2025-02-20T00:00:00.000Z')
  expect(await bot.get(`/projects/${id}`)).toMatchObject({
    status: 401,
    body: { error: 'invalid_token', error_description: expect.stringContaining('expired') },
  })
  const members = await owner.get(`/projects/${id}/members`)
  expect(members.body.map((member: { id: number }) => member.id)).not.toContain(body.user_id)
})
