import { sql } from 'kysely'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Db } from '#platform/db/pool.ts'
import type { MailServer } from './mail-server.ts'

/** Adds what tells whether mail arrives. Each scrape reads the outbox; its gauges are absent while the database is down. */
export function registerMailMetrics(registry: Registry, server: MailServer, db: Db): void {
  const registers = [registry]
  const sent = new Counter({
    name: 'forgelet_mails_total',
    help: 'Mails that this process tried to hand over, by what became of it: sent, refused, later, trouble, expired',
    labelNames: ['outcome'],
    registers,
    collect: () => {
      sent.reset()
      for (const [outcome, count] of Object.entries(server.counts)) sent.inc({ outcome }, count)
    },
  })
  const up = new Gauge({
    name: 'forgelet_mail_server_up',
    help: 'Whether the mail server worked when this process used it last',
    registers,
    collect: () => {
      up.set(server.problem() === undefined ? 1 : 0)
    },
  })
  // Both gauges are collected at the same time, so they share one statement.
  let counting: Promise<{ waiting: number; age: number } | undefined> | undefined
  const count = () =>
    (counting ??= countMails(db)
      .catch(() => undefined)
      .finally(() => (counting = undefined)))
  const waiting = new Gauge({
    name: 'forgelet_mails_waiting',
    help: 'Mails in the outbox',
    labelNames: [],
    registers,
    async collect() {
      const found = await count()
      if (found === undefined) waiting.remove()
      else waiting.set(found.waiting)
    },
  })
  const age = new Gauge({
    name: 'forgelet_mails_oldest_seconds',
    help: 'Age of the oldest mail in the outbox',
    labelNames: [],
    registers,
    async collect() {
      const found = await count()
      if (found === undefined) age.remove()
      else age.set(found.age)
    },
  })
}

async function countMails(db: Db) {
  const { rows } = await sql<{ waiting: number; age: number }>`
    select count(*)::integer as waiting, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as age
    from mails where ended_at is null`.execute(db)
  return rows[0]
}
