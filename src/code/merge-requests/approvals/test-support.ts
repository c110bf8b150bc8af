import { Client } from '#test/client.ts'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { type Actor, type ContainerOptions, w } from '#test/world.ts'

const { url } = await w.licensed()

/** The same person there. */
export const licensed = ({ headers }: Pick<Actor, 'headers'>): Client => new Client(url, headers)

/** A merge request of the developer, and the people of its project where the plan has approval rules. */
export async function opened(options?: ContainerOptions) {
  const p = await branchedProject(options)
  const { path, body } = await openMergeRequest(p, p.developer)
  await w.db
    .updateTable('merge_requests')
    .set({ merge_status: 'can_be_merged' })
    .where('id', '=', body.id)
    .execute()
  return {
    ...p,
    path,
    body,
    as: {
      developer: licensed(p.developer),
      maintainer: licensed(p.maintainer),
      owner: licensed(p.owner),
      reporter: licensed(p.reporter),
    },
    rules: `/projects/${p.id}/approval_rules`,
    settings: `/projects/${p.id}/approvals`,
  }
}

/** Adds a developer to a project. */
export async function joined({ namespaceId }: { namespaceId: number }): Promise<Actor> {
  const user = await w.user()
  await w.member(namespaceId, user, 30)
  return user
}
