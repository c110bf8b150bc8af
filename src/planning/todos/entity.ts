import { type Static, Type } from 'typebox'
import { NamespaceBasic, type NamespaceBasicRow, presentNamespaceBasic } from '#identity/namespaces/entity.ts'
import { presentUserBasic, UserBasic, type UserBasicRow } from '#identity/users/basic.ts'
import type { TodoState } from '#platform/db/schema.ts'
import { entity, integer, moment, oneOf } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { type TodoRequest, type TodoSubject, todoTarget, todoTargets } from './targets.ts'

/** A to-do with everything that presenters need. */
export interface TodoRow {
  readonly id: number
  readonly action: string
  readonly state: TodoState
  readonly created_at: string
  readonly updated_at: string
  readonly author: UserBasicRow
  /** The name of the kind of its target. */
  readonly kind: string
  /** The note that caused it, if its owner may read it. */
  readonly note: { readonly id: number; readonly beginning: string } | null
  /** The id of the project; null where the target belongs to a group. */
  readonly project_id: number | null
  /** The namespace of the target's project or group. */
  readonly namespace: NamespaceBasicRow & { readonly full_name: string }
  readonly subject: TodoSubject
}

export const todoStates = ['pending', 'done'] as const

const TodoProject = Type.Object({
  id: integer(),
  name: Type.String(),
  name_with_namespace: Type.String(),
  path: Type.String(),
  path_with_namespace: Type.String(),
})

const shared = {
  id: integer(),
  /** Only where the target belongs to a project. */
  project: Type.Optional(TodoProject),
  /** Only where the target belongs to a group. */
  group: Type.Optional(NamespaceBasic),
  author: UserBasic,
  action_name: Type.String({ description: 'Why it is on the list: `marked` when the user asked for it.' }),
  target_type: Type.String(),
  target_url: Type.String(),
  body: Type.String({ description: 'The title of the target, or the beginning of the note that caused it.' }),
  state: oneOf(todoStates),
  created_at: moment(),
  updated_at: moment(),
}

type Shown = Static<ReturnType<typeof sharedFields>> & { readonly target: object }
const sharedFields = () => Type.Object(shared)

/** A to-do with what it is about. Made once the features have said what that can be. */
export const todoEntity = () =>
  Type.Unsafe<Shown>(
    entity('Todo', {
      ...shared,
      target: Type.Union(
        todoTargets.entries.map((one) => one.entity),
        { description: 'As the API presents it elsewhere.' },
      ),
    }),
  )

export const presentTodos = (rows: readonly TodoRow[], req: TodoRequest): Shown[] =>
  rows.map((row) => presentTodo(row, req))

const presentTodoProject = (id: number, { name, full_name, path, full_path }: TodoRow['namespace']) => ({
  id,
  name,
  name_with_namespace: full_name,
  path,
  path_with_namespace: full_path,
})

/** Presents a to-do. Its target is named by the full path wherever the to-do is shown. */
export function presentTodo(
  { subject, project_id, namespace, note, ...todo }: TodoRow,
  req: TodoRequest,
): Shown {
  const { site } = req
  const target = subject.present(req)
  return {
    id: todo.id,
    ...(project_id === null
      ? { group: presentNamespaceBasic(namespace, site) }
      : { project: presentTodoProject(project_id, namespace) }),
    author: presentUserBasic(todo.author, site),
    action_name: todo.action,
    target_type: todoTarget(todo.kind).type,
    target,
    target_url: note === null ? target.web_url : `${target.web_url}#note_${note.id}`,
    body: note === null ? subject.title : note.beginning,
    state: todo.state,
    created_at: iso(todo.created_at),
    updated_at: iso(todo.updated_at),
  }
}
