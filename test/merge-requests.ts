import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Client } from './client.ts'
import { giveBranches } from './repositories.ts'
import { type ContainerOptions, type Place, w, type World } from './world.ts'

/** A project with the branches of `giveBranches`. */
export async function branchedProject(options?: ContainerOptions, world: World = w) {
  const project = await world.project(options)
  const repository = await giveBranches(project, world)
  const path = `/projects/${project.id}/merge_requests`
  return { ...project, repository, path }
}

/** Opens a merge request of `feature` into `main`, unless `wanted` says otherwise. @returns its path and its body */
export async function openMergeRequest({ id }: Pick<Place, 'id'>, by: Client, wanted: object = {}) {
  const given = { title: 'Say it aloud', source_branch: 'feature', target_branch: 'main', ...wanted }
  const { status, body, text } = await by.post(`/projects/${id}/merge_requests`, given)
  if (status !== 201) throw new Error(`${status}: ${text}`)
  return { path: `/projects/${id}/merge_requests/${body.iid}`, body }
}

/** Runs an `insert into merge_requests …` for many at once, and gives each its noteable as the program does. */
export async function insertMergeRequests(db: Db, insert: RawBuilder<unknown>): Promise<void> {
  await sql`
    with made as (${insert} returning id, project_id, created_at)
    insert into noteables (id, kind, namespace_id, updated_at)
    select made.id, 'merge_request', p.project_namespace_id, made.created_at
      from made join projects p on p.id = made.project_id`.execute(db)
}
