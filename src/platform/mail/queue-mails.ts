import { sql } from 'kysely'
import { recordset } from '#platform/db/recordset.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { deliverMails } from './deliver-mails.ts'
import { bounded, isAddress, type KeyedMail } from './mail.ts'

/**
 * Puts mails into the outbox, with the transaction that causes them; a job hands them to the mail server. Where no
 * mail server is configured, none is kept. An address that no mail server could know gets none.
 */
export async function queueMails(tx: Tx, mails: readonly KeyedMail[]): Promise<void> {
  if (!tx.sendsMail) return
  const rows = mails
    .filter(({ to }) => isAddress(to.address))
    .map(({ key, ...mail }) => ({ key: key ?? null, content: bounded(mail) }))
  if (rows.length === 0) return
  // In the order of keys: two transactions with the same ones wait for each other in the same order.
  const { rows: queued } = await sql<{ id: number }>`
    insert into mails (key, content)
    select key, content from ${recordset('mails', rows)}
    order by key
    on conflict (key) do nothing
    returning id`.execute(tx.db)
  if (queued.length > 0) await enqueue(tx, deliverMails, {})
}
