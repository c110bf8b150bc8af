import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Email } from 'postal-mime'
import { mails, readMail } from '../../../test/smtp.ts'
import { type Actor, w } from '../../../test/world.ts'

/** Waits until everybody has been told of everything that happened so far, and the mails have left. */
export async function everybodyTold(): Promise<void> {
  await expect
    .poll(
      async () => {
        const { rows } = await sql<{ left: number }>`
          select (select count(*) from notification_events) + (select count(*) from mails where ended_at is null)
            + (select count(*) from graphile_worker.jobs where task_identifier = 'issues/mention-groups') as left`.execute(
          w.db,
        )
        return Number(rows[0]?.left)
      },
      { timeout: 20_000, interval: 20 },
    )
    .toBe(0)
}

export const addressOf = ({ username }: Pick<Actor, 'username'>): string => `${username}@example.com`

/** All mails that somebody got so far. */
export async function mailsOf(actor: Pick<Actor, 'username'>): Promise<Email[]> {
  await everybodyTold()
  return Promise.all(mails.mailsTo(addressOf(actor)).map(({ raw }) => readMail(raw)))
}

/** The subjects of the mails that somebody got so far. */
export const subjectsOf = async (actor: Pick<Actor, 'username'>): Promise<(string | undefined)[]> =>
  (await mailsOf(actor)).map(({ subject }) => subject)

/** What somebody has to do: why, and the title of what. */
export async function todosOf(actor: Actor, query = ''): Promise<[string, string][]> {
  await everybodyTold()
  const { body } = await actor.get(`/todos${query}`)
  return body.map((todo: { action_name: string; target: { title: string } }) => [
    todo.action_name,
    todo.target.title,
  ])
}
