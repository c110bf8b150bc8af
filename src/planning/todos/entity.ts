import { type Static, Type } from 'typebox'
import { Issue } from '#planning/issues/entity.ts'
import type { IssueRow } from '#planning/issues/queries.ts'
import type { TodoState } from '#platform/db/schema.ts'
import { presentIssue } from '#planning/issues/present.ts'
import { entity, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { presentUserBasic, UserBasic, type UserBasicRow } from '#identity/users/basic.ts'

/** A to-do with everything that presenters need. */
export interface TodoRow {
  readonly id: number
  readonly action: string
  readonly state: TodoState
  readonly created_at: string
  readonly updated_at: string
  readonly author: UserBasicRow
  readonly project: { readonly name: string; readonly full_name: string }
  readonly issue: IssueRow
}

export const todoStates = ['pending', 'done'] as const

const TodoProject = Type.Object({
  id: integer(),
  name: Type.String(),
  name_with_namespace: Type.String(),
  path: Type.String(),
  path_with_namespace: Type.String(),
})

/** A to-do with the issue that it is about. */
export const Todo = entity('Todo', {
  id: integer(),
  project: TodoProject,
  group: nullable(Type.Object({}, { description: 'Null: no group has to-dos yet.' })),
  author: UserBasic,
  action_name: Type.String({ description: 'Why it is on the list: `marked` when the user asked for it.' }),
  target_type: Type.String(),
  target: Issue,
  target_url: Type.String(),
  body: Type.String({ description: 'The title of the issue.' }),
  state: oneOf(todoStates),
  created_at: moment(),
  updated_at: moment(),
})

/** What presenters of to-dos need to know of the request. */
interface TodoRequest {
  readonly viewer: { readonly today: string }
  readonly site: string
}

export function presentTodos(rows: readonly TodoRow[], req: TodoRequest): Static<typeof Todo>[] {
  return rows.map((row) => presentTodo(row, req))
}

/** Presents a to-do. Its issue is named by the full path wherever the to-do is shown. */
export function presentTodo(
  { issue, project, author, ...todo }: TodoRow,
  { viewer, site }: TodoRequest,
): Static<typeof Todo> {
  const target = presentIssue(issue, { site, today: viewer.today, from: 'instance' })
  return {
    id: todo.id,
    project: {
      id: issue.project_id,
      name: project.name,
      name_with_namespace: project.full_name,
      path: issue.path,
      path_with_namespace: issue.full_path,
    },
    group: null,
    author: presentUserBasic(author, site),
    action_name: todo.action,
    target_type: 'Issue',
    target,
    target_url: target.web_url,
    body: issue.title,
    state: todo.state,
    created_at: iso(todo.created_at),
    updated_at: iso(todo.updated_at),
  }
}
