import type { Answer, Client } from '#test/client.ts'
import { type ContainerOptions, w } from '#test/world.ts'

export const ids = (answer: Answer): number[] => answer.body.map(({ id }: { id: number }) => id)
export const bodies = (answer: Answer): string[] => answer.body.map(({ body }: { body: string }) => body)

/** A project with an open issue, and where its notes are. */
export async function withIssue(options: ContainerOptions = {}, issue: object = {}) {
  const p = await w.project(options)
  const { body } = await p.reporter.post(`/projects/${p.id}/issues`, { title: 'It breaks', ...issue })
  const issuePath = `/projects/${p.id}/issues/${body.iid}`
  return { ...p, issue: body, issuePath, path: `${issuePath}/notes`, discussions: `${issuePath}/discussions` }
}

/** How many comments an issue says it has, to somebody. */
export const countFor = async (who: Client, { issuePath }: { issuePath: string }): Promise<number> =>
  (await who.get(issuePath)).body.user_notes_count
