import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Email } from 'postal-mime'
import { mails, readMail } from '#test/smtp.ts'
import { w } from '#test/mail-world.ts'
import type { Actor, World } from '#test/world.ts'

/** Waits until everybody has been told of everything that happened so far, and the mails have left. */
export async function everybodyTold({ db }: Pick<World, 'db'> = w): Promise<void> {
  const left = async () => {
    const { rows } = await sql<{ left: number }>`
      select (select count(*) from notification_events)
        + (select count(*) from mails where ended_at is null and key ~ '^(event|note|noteable|due)-')
        + (select count(*) from graphile_worker.jobs where task_identifier in ('issues/mention-groups', 'notifications/due-issues')) as left`.execute(
      db,
    )
    return Number(rows[0]?.left)
  }
  await expect.poll(left).toBe(0)
}

export const addressOf = ({ username }: Pick<Actor, 'username'>): string => `${username}@example.com`

/** All mails that somebody got so far. */
export async function mailsOf(actor: Pick<Actor, 'username'>, world?: World): Promise<Email[]> {
  await everybodyTold(world)
  return Promise.all(mails.mailsTo(addressOf(actor)).map(({ raw }) => readMail(raw)))
}

/** The subjects of the mails that somebody got so far. */
export const subjectsOf = async (
  actor: Pick<Actor, 'username'>,
  world?: World,
): Promise<(string | undefined)[]> => (await mailsOf(actor, world)).map(({ subject }) => subject)

/** What somebody has to do: why, and the title of what. */
export async function todosOf(actor: Actor, query = '', world?: World): Promise<[string, string][]> {
  await everybodyTold(world)
  const { body } = await actor.get(`/todos${query}`)
  return body.map((todo: { action_name: string; target: { title: string } }) => [
    todo.action_name,
    todo.target.title,
  ])
}
