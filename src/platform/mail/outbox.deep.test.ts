import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { sql } from 'kysely'
import type { SMTPServerOptions } from 'smtp-server'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { readConfig } from '#platform/config/config.ts'
import { systemClock, systemRandomness } from '#platform/context.ts'
import { transact } from '#platform/db/transaction.ts'
import { deliverTo } from '#test/mail-worker.ts'
import { MailListener, readMail, Refusal } from '#test/smtp.ts'
import { createScratchDatabase, type ScratchDatabase } from '#test/scratch-database.ts'
import { localhost } from '#test/certificate.ts'
import { quiet } from '#test/job-worker.ts'
import { openMailServer } from './open-mail-server.ts'
import { queueMails } from './queue-mails.ts'

// Mail servers that fail, and processes that are killed.

let database: ScratchDatabase
beforeAll(async () => {
  database = await createScratchDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())
afterEach(() => sql`delete from mails`.execute(database.db))

const queue = (...addresses: readonly string[]) =>
  transact(
    { db: database.db, clock: systemClock, random: systemRandomness, sendsMail: true },
    { author: null, ip: null },
    (tx) =>
      queueMails(
        tx,
        addresses.map((address) => ({ to: { address }, subject: 'Hello', text: 'Hello', key: address })),
      ),
  )

const outcomes = async () => {
  const { rows } = await sql<{ key: string; outcome: string | null }>`
    select key, outcome from mails order by key`.execute(database.db)
  return Object.fromEntries(rows.map((row) => [row.key, row.outcome]))
}

/** As if the time had passed for which a mail belongs to the process that took it. */
const passTerm = () => sql`update mails set due_at = now() where ended_at is null`.execute(database.db)

it('sends what a killed process had not handed over, and in doubt the same message again', async () => {
  await using listener = await MailListener.open()
  const held = Promise.withResolvers<string>()
  listener.behavior = {
    message: async (mail) => {
      if (mail.to !== 'doubt@example.com' || listener.received.length > 1) return
      held.resolve((await readMail(mail.raw)).messageId ?? '')
      // The message is here, and the process dies before it hears so.
      await new Promise(() => {})
    },
  }
  await queue('first@example.com')
  const child = spawn(process.execPath, [fileURLToPath(import.meta.resolve('#test/mail-worker.ts'))], {
    env: {
      ...process.env,
      TEST_DATABASE: JSON.stringify(database.address),
      TEST_SMTP: `${listener.url}?connections=1`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await once(child.stdout, 'data')
    await expect.poll(outcomes).toEqual({ 'first@example.com': 'sent' })
    await queue('doubt@example.com', 'last@example.com')
    const messageId = await held.promise
    child.kill('SIGKILL')
    await once(child, 'exit')
    listener.behavior = {}
    await using heir = await deliverTo(listener.url, database.address)
    expect(heir.jobs.running()).toBe(true)
    // While the mail may still be under way, nobody else takes it.
    await queue('other@example.com')
    await expect.poll(outcomes).toMatchObject({ 'last@example.com': 'sent', 'other@example.com': 'sent' })
    expect(await outcomes()).toMatchObject({ 'doubt@example.com': null })
    await passTerm()
    await queue('another@example.com')
    await expect.poll(outcomes).toMatchObject({ 'doubt@example.com': 'sent' })
    expect(listener.mailsTo('first@example.com')).toHaveLength(1)
    expect(listener.mailsTo('last@example.com')).toHaveLength(1)
    expect((await listener.readMail('doubt@example.com')).messageId).toBe(messageId)
  } finally {
    child.kill('SIGKILL')
  }
})

it('names the sender and the address for answers that the configuration gives', async () => {
  await using listener = await MailListener.open()
  const outside = { FORGELET_EXTERNAL_URL: 'https://forge.example.org' }
  {
    await using delivery = await deliverTo(listener.url, database.address, outside)
    await queue('first@example.com')
    const { from, replyTo, messageId } = await listener.readMail('first@example.com')
    expect([from, replyTo]).toEqual([{ name: 'Forgelet', address: 'noreply@forge.example.org' }, undefined])
    expect(messageId).toMatch(/@forge\.example\.org>$/)
    expect(delivery.server.site).toBe('https://forge.example.org')
  }
  await using delivery = await deliverTo(listener.url, database.address, {
    ...outside,
    FORGELET_MAIL_FROM: 'Forge <forge@example.net>',
    FORGELET_MAIL_REPLY_TO: 'Help <help@example.net>',
  })
  await queue('second@example.com')
  const { from, replyTo } = await listener.readMail('second@example.com')
  expect(from).toEqual({ name: 'Forge', address: 'forge@example.net' })
  expect(replyTo).toEqual([{ name: 'Help', address: 'help@example.net' }])
  expect(listener.mailsTo('second@example.com')[0]?.from).toBe('forge@example.net')
  await expect.poll(() => delivery.server.problem()).toBeUndefined()
})

it('says once that mail is off where no server is named', () => {
  const said: unknown[] = []
  const log = { ...quiet, info: (...all: unknown[]) => void said.push(all) }
  expect(openMailServer(readConfig({}), log)).toBeUndefined()
  expect(said).toEqual([[{}, 'mail is off: FORGELET_SMTP_URL is not set']])
})

it('waits for a server that is down, says so, and sends everything once it is back', async () => {
  const gone = await MailListener.open()
  const { port } = gone
  await gone[Symbol.asyncDispose]()
  await using delivery = await deliverTo(`smtp://127.0.0.1:${port}`, database.address)
  await expect.poll(() => delivery.server.problem()).toBeUndefined()
  await queue('a@example.com', 'b@example.com')
  await expect.poll(() => delivery.server.problem()).toContain('ECONNREFUSED')
  // The attempts are not the mails' fault.
  await expect
    .poll(async () => (await sql`select attempts from mails`.execute(database.db)).rows)
    .toEqual([{ attempts: 0 }, { attempts: 0 }])
  await using listener = await MailListener.open({}, port)
  await expect.poll(outcomes).toEqual({ 'a@example.com': 'sent', 'b@example.com': 'sent' })
  await expect.poll(() => delivery.server.problem()).toBeUndefined()
  expect(listener.received).toHaveLength(2)
})

it('counts a refused sender and a closing server as trouble of the server, not of the mail', async () => {
  await using listener = await MailListener.open()
  await using delivery = await deliverTo(listener.url, database.address)
  listener.behavior = {
    sender: () => {
      throw new Refusal(553, 'Not your address')
    },
  }
  await queue('a@example.com')
  await expect.poll(() => delivery.server.problem()).toContain('553 Not your address')
  expect(await outcomes()).toEqual({ 'a@example.com': null })
  listener.behavior = {
    recipient: () => {
      throw new Refusal(421, 'Closing')
    },
  }
  await expect.poll(() => delivery.server.problem()).toContain('421 Closing')
  expect(await outcomes()).toEqual({ 'a@example.com': null })
})

it('gives a mail up that could not be sent for three days', async () => {
  await using listener = await MailListener.open()
  await queue('old@example.com')
  await sql`update mails set created_at = now() - interval '73 hours'`.execute(database.db)
  await using delivery = await deliverTo(listener.url, database.address)
  await expect.poll(outcomes).toEqual({ 'old@example.com': 'expired' })
  expect(listener.received).toEqual([])
  expect(delivery.server.counts).toMatchObject({ expired: 1, sent: 0 })
})

it('signs in over TLS, by STARTTLS or from the first byte, with servers that it can trust alone', async () => {
  const users: string[] = []
  const tls: SMTPServerOptions = {
    ...localhost,
    authOptional: false,
    onAuth: ({ username, password }, _, reply) => {
      users.push(`${username}:${password}`)
      reply(null, { user: username ?? '' })
    },
  }
  await using starting = await MailListener.open(tls)
  await using implicit = await MailListener.open({ ...tls, secure: true })
  const listeners = [
    ['smtp', starting],
    ['smtps', implicit],
  ] as const
  const urlOf = (scheme: string, { port }: MailListener) => `${scheme}://me%40here:p%3Aw@localhost:${port}`
  for (const [scheme, listener] of listeners) {
    await using delivery = await deliverTo(urlOf(scheme, listener), database.address)
    await queue(`${scheme}@example.com`)
    await expect.poll(() => delivery.server.problem()).toMatch(/self-signed certificate/)
    expect(users).toEqual([])
    await sql`delete from mails`.execute(database.db)
  }
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, localhost.cert])
  try {
    for (const [scheme, listener] of listeners) {
      await using delivery = await deliverTo(urlOf(scheme, listener), database.address)
      await queue(`${scheme}@example.com`)
      await expect.poll(() => listener.received).toMatchObject([{ user: 'me@here', secure: true }])
      await expect.poll(() => delivery.server.problem()).toBeUndefined()
    }
  } finally {
    setDefaultCACertificates(trusted)
  }
  expect(users).toEqual(['me@here:p:w', 'me@here:p:w'])
})

it('sends no password to a server without TLS, unless told to', async () => {
  const passwords: string[] = []
  await using listener = await MailListener.open({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    authOptional: false,
    onAuth: ({ username, password }, _, reply) => {
      passwords.push(`${username}:${password}`)
      if (password === 'wrong') reply(new Refusal(535, 'Authentication failed'))
      else reply(null, { user: username ?? '' })
    },
  })
  const at = `127.0.0.1:${listener.port}`
  {
    await using strict = await deliverTo(`smtp://me:secret@${at}`, database.address)
    await queue('a@example.com')
    await expect.poll(() => strict.server.problem()).toMatch(/STARTTLS/)
    expect(passwords).toEqual([])
  }
  {
    await using wrong = await deliverTo(`smtp://me:wrong@${at}?tls=none`, database.address)
    await queue('b@example.com')
    await expect.poll(() => wrong.server.problem()).toContain('535')
    expect(wrong.server.problem()).not.toContain('wrong')
  }
  await using told = await deliverTo(`smtp://me:secret@${at}?tls=none`, database.address)
  await queue('c@example.com')
  await expect.poll(outcomes).toMatchObject({ 'a@example.com': 'sent', 'b@example.com': 'sent' })
  expect(listener.received.every(({ user }) => user === 'me')).toBe(true)
  await expect.poll(() => told.server.problem()).toBeUndefined()
})

it('does not wait long for a server that says nothing', async () => {
  await using listener = await MailListener.open({ onConnect: () => {} })
  await using delivery = await deliverTo(`${listener.url}?timeout=1`, database.address)
  await queue('a@example.com')
  await expect.poll(() => delivery.server.problem()).toMatch(/ETIMEDOUT|timeout/i)
})
