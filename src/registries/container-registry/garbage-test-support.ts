import { transact } from '#platform/db/transaction.ts'
import { w } from '#test/world.ts'
import { collectFrom } from './collect-garbage.ts'

export const repositoryOf = ({ id }: { readonly id: number }) =>
  w.db
    .selectFrom('container_repositories')
    .select('id')
    .where('project_id', '=', id)
    .executeTakeFirstOrThrow()

/** Makes everything in a repository so old that a clean-up may take it. */
export async function age(repositoryId: number): Promise<void> {
  for (const table of ['container_blobs', 'container_manifests'] as const)
    await w.db
      .updateTable(table)
      .set({ touched_at: '2020-01-01T00:00:00.000Z' })
      .where('repository_id', '=', repositoryId)
      .execute()
}

const job = {
  transact: <T>(work: Parameters<typeof transact<T>>[2]) =>
    transact(w.running.services, { author: null, ip: null }, work),
  signal: new AbortController().signal,
}
export const collect = (repositoryId: number) =>
  collectFrom(job, repositoryId, new Date(w.clock.now().getTime() - 86_400_000).toISOString())
