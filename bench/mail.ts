import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import type { Db } from '#platform/db/pool.ts'
import { readConfig } from '#platform/config/config.ts'
import { transact } from '#platform/db/transaction.ts'
import { queueMails } from '#platform/mail/queue-mails.ts'
import { startServer } from '../src/server.ts'
import { startChild, temporaryFolder } from './children.ts'
import { atLeast, type Effort, type Measure } from './measures.ts'

/** How fast the outbox empties into a mail server beside it, with a durable database. */
export async function measureMail({ rounds }: Effort): Promise<Measure[]> {
  const mails = rounds > 2 ? 10_000 : 2_000
  await using folder = await temporaryFolder()
  await using sink = await startChild<{ port: number }>('mail-sink.ts')
  const config = readConfig({
    FORGELET_DATA: `${folder.path}/data`,
    FORGELET_PORT: '0',
    FORGELET_SMTP_URL: `smtp://127.0.0.1:${sink.said.port}`,
  })
  const server = await startServer({ config, log: pino({ level: 'silent' }), withPassword: false })
  try {
    const { services } = server
    const begun = performance.now()
    const all = Array.from({ length: mails }, (_, index) => ({
      to: { address: `somebody${index}@example.com` },
      subject: `Re: group / project | Something is wrong (#${index})`,
      text: 'Somebody wrote something that takes a few lines.\n'.repeat(20),
      html: '<p>Somebody wrote something that takes a few lines.</p>\n'.repeat(20),
      key: `bench ${index}`,
    }))
    await transact(services, { author: null, ip: null }, (tx) => queueMails(tx, all))
    while ((await waiting(services.db)) > 0) await pause(100)
    const rate = mails / ((performance.now() - begun) / 1000)
    return [atLeast(`${mails} mails handed over: a second`, rate, 200, rate.toFixed(0))]
  } finally {
    await server.stop()
  }
}

async function waiting(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from mails where ended_at is null`.execute(db)
  return rows[0]?.count ?? 0
}
