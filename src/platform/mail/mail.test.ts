import { sql } from 'kysely'
import { afterEach, expect, it } from 'vitest'
import { headerOf, mails, readMail, Refusal } from '#test/smtp.ts'
import { w } from '#test/mail-world.ts'
import { unique } from '#test/world.ts'
import type { KeyedMail } from './mail.ts'
import { queueMails } from './queue-mails.ts'

afterEach(() => {
  mails.behavior = {}
})

const address = () => `${unique('mail')}@example.com`
const hello = (to: string, more: Partial<KeyedMail> = {}): KeyedMail => ({
  to: { address: to },
  subject: 'Hello',
  text: 'How are you?',
  ...more,
})
const send = (...all: KeyedMail[]) => w.write((tx) => queueMails(tx, all))

/** What the outbox knows of the mails to an address that have not ended, or of all that carry the key. */
const rowOf = async (key: string) =>
  w.db
    .selectFrom('mails')
    .select(['content', 'outcome', 'attempts', 'response', sql<boolean>`due_at > now()`.as('later')])
    .where('key', '=', key)
    .executeTakeFirstOrThrow()

it('arrives with its text, its HTML and everything that sorts it', async () => {
  const to = address()
  await send({
    to: { address: to, name: 'Zoë Ünal' },
    from: 'Somebody (@somebody)',
    subject: 'Re: group / project | Größe\r\nBcc: others@example.com',
    text: 'Text – with a dash\n.\nand a dot.\n',
    html: '<p>Text &ndash; with a dash</p>',
    messageId: '<note_1@example.com>',
    inReplyTo: '<issue_1@example.com>',
    references: ['<reply-1@example.com>', '<issue_1@example.com>'],
    headers: { 'X-GitLab-Project': 'project', 'List-Id': 'group/project <1.project.group.example.com>' },
  })
  const mail = await mails.readMail(to)
  expect(mail.to).toEqual([{ name: 'Zoë Ünal', address: to }])
  expect(mail.from).toEqual({ name: 'Somebody (@somebody)', address: 'noreply@localhost' })
  expect(mail.subject).toBe('Re: group / project | Größe Bcc: others@example.com')
  expect(mail.bcc).toBeUndefined()
  expect(mail.text?.trimEnd()).toBe('Text – with a dash\n.\nand a dot.')
  expect(mail.html?.trim()).toBe('<p>Text &ndash; with a dash</p>')
  expect(mail.messageId).toBe('<note_1@example.com>')
  expect(mail.inReplyTo).toBe('<issue_1@example.com>')
  expect(mail.references).toBe('<reply-1@example.com> <issue_1@example.com>')
  expect(headerOf(mail, 'X-GitLab-Project')).toBe('project')
  expect(headerOf(mail, 'List-Id')).toBe('group/project <1.project.group.example.com>')
  expect(headerOf(mail, 'Auto-Submitted')).toBe('auto-generated')
})

it('is sent once for each key', async () => {
  const to = address()
  const key = unique('key')
  await send(hello(to, { key }), hello(to, { key, subject: 'Again' }))
  await send(hello(to, { key }))
  await send(hello(to, { subject: 'Last' }))
  await expect.poll(() => mails.mailsTo(to).length).toBe(2)
  const subjects = (await mails.readMails(to, 2)).map(({ subject }) => subject)
  expect(new Set(subjects)).toEqual(new Set(['Hello', 'Last']))
})

it('is not sent when its transaction fails', async () => {
  const [first, second] = [address(), address()]
  const failing = w.write(async (tx) => {
    await queueMails(tx, [hello(first)])
    throw new Error('undone')
  })
  await expect(failing).rejects.toThrow('undone')
  await send(hello(second))
  await mails.readMail(second)
  expect(mails.mailsTo(first)).toEqual([])
})

it('forgets what a mail said once the server has it', async () => {
  const key = unique('key')
  await send(hello(address(), { key, text: 'a secret link' }))
  await expect.poll(() => rowOf(key)).toMatchObject({ outcome: 'sent', content: null })
})

it('gives up a mail that the server refuses for ever, and sends the others', async () => {
  const [refused, welcome] = [address(), address()]
  mails.behavior = {
    recipient: (to) => {
      if (to === refused) throw new Refusal(550, 'No such user here')
    },
  }
  const key = unique('key')
  await send(hello(refused, { key }), hello(welcome))
  await mails.readMail(welcome)
  await expect.poll(() => rowOf(key)).toMatchObject({ outcome: 'refused', content: null })
  expect((await rowOf(key)).response).toContain('550 No such user here')
})

it('tries a mail again later that the server does not take now, as the same message', async () => {
  const to = address()
  const tries: string[] = []
  mails.behavior = {
    message: async (mail) => {
      if (mail.to !== to) return
      tries.push((await readMail(mail.raw)).messageId ?? '')
      if (tries.length === 1) throw new Refusal(451, 'Come back later')
    },
  }
  const key = unique('key')
  await send(hello(to, { key }))
  const response: unknown = expect.stringContaining('451 Come back later')
  await expect.poll(() => rowOf(key)).toMatchObject({ outcome: null, attempts: 1, later: true, response })
  // The time has passed, and the next mail brings a job.
  await sql`update mails set due_at = now() where key = ${key}`.execute(w.db)
  await send(hello(address()))
  await expect.poll(() => rowOf(key)).toMatchObject({ outcome: 'sent', attempts: 2 })
  expect(tries).toEqual([tries[0], tries[0]])
})

it('sends nobody anything at an address that cannot exist', async () => {
  const to = address()
  await send(hello('a@b@c'), hello(`${to}, x@example.com`), hello('x y@example.com'), hello(to))
  expect((await mails.readMail(to)).to).toEqual([{ name: '', address: to }])
  expect(mails.received.filter(({ to: others }) => others.includes('@b'))).toEqual([])
})

it('cuts a subject and a text that nobody could read', async () => {
  const to = address()
  await send(
    hello(to, { subject: 's'.repeat(2000), text: 'x\0'.repeat(600_000), html: 'h'.repeat(1_000_001) }),
  )
  const mail = await mails.readMail(to)
  expect(mail.subject).toBe(`${'s'.repeat(249)}…`)
  expect(mail.text?.length).toBeLessThan(1_000_000)
  expect(mail.html).toBeUndefined()
})

it('hands over hundreds of mails within seconds', async () => {
  const domain = `${unique('many')}.example.com`
  const all = Array.from({ length: 300 }, (_, i) => hello(`user${i}@${domain}`))
  const started = performance.now()
  await send(...all)
  const arrived = () => mails.received.filter(({ to }) => to.endsWith(domain)).length
  await expect.poll(arrived).toBe(300)
  expect(performance.now() - started).toBeLessThan(20_000)
})

it('shows a server in trouble in the details of readiness and in the metrics, and stays ready', async () => {
  const ready = async () => (await fetch(`${w.url}/-/readiness`)).json()
  const metric = async (name: string) => {
    const text = await (await fetch(`${w.url}/-/metrics`)).text()
    return new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(text)?.[1]
  }
  expect(await ready()).toMatchObject({ status: 'ok', mail_check: [{ status: 'ok' }] })
  mails.behavior = {
    sender: () => {
      throw new Refusal(553, 'Not your address')
    },
  }
  const to = address()
  await send(hello(to))
  const message: unknown = expect.stringContaining('553 Not your address')
  await expect.poll(ready).toMatchObject({ status: 'ok', mail_check: [{ status: 'degraded', message }] })
  expect(await metric('forgelet_mail_server_up')).toBe('0')
  expect(await metric('forgelet_mails_waiting')).toBe('1')
  mails.behavior = {}
  await mails.readMail(to)
  await expect.poll(ready).toMatchObject({ mail_check: [{ status: 'ok' }] })
  expect(await metric('forgelet_mail_server_up')).toBe('1')
  expect(Number(await metric('forgelet_mails_total'))).toBeGreaterThan(0)
})
