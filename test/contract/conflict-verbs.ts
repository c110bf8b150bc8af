import { expect } from 'vitest'
import { createEnvironment } from '#delivery/environments/create-environment.ts'
import { createGroup } from '#tenancy/groups/create-group.ts'
import { createIssue } from '#planning/issues/create-issue.ts'
import { createLabel } from '#planning/labels/create-label.ts'
import { createMilestone } from '#planning/milestones/create-milestone.ts'
import { createProject } from '#tenancy/projects/create-project.ts'
import { collideAll, deadlocks, type Verb } from '#test/conflicts.ts'
import { insertPeople } from '#test/people.ts'
import { unique, w } from '#test/world.ts'

// Verbs that lock rows, and the ground that they meet on.

/** Two groups, a project in each, and in the first one a thing of each kind. */
export interface Ground {
  readonly group: number
  readonly otherGroup: number
  readonly project: number
  readonly otherProject: number
  readonly user: { readonly id: number; readonly username: string }
  readonly label: number
  readonly milestone: number
  /** With a list of the label and one of the milestone. */
  readonly board: number
  /** One that is stopped. */
  readonly environment: number
  /** What runs there, told by the user. */
  readonly deployment: number
  /** The id of the note on issue 1. */
  readonly note: number
}

export async function newGround(): Promise<Ground> {
  const ground = await w.write(async (tx) => {
    const path = unique('ground')
    const visibility = 'public' as const
    const group = await createGroup(tx, { name: path, path, visibility, parentId: null })
    const other = await createGroup(tx, { name: `${path}-x`, path: `${path}-x`, visibility, parentId: null })
    const project = await createProject(tx, { name: path, path, visibility, parentId: group.id })
    const otherProject = await createProject(tx, { name: path, path, visibility, parentId: other.id })
    const { project_namespace_id: namespace_id } = await tx.db
      .selectFrom('projects')
      .select('project_namespace_id')
      .where('id', '=', project.id)
      .executeTakeFirstOrThrow()
    const home = {
      kind: 'project',
      id: project.id,
      namespace_id,
      traversal_ids: [group.id, namespace_id],
    } as const
    const [user] = await insertPeople(tx, namespace_id, [{ username: unique('person'), level: 30 }])
    if (user === undefined) throw new Error('Nobody was inserted')
    const label = await createLabel(tx, home, { name: 'bug', color: 'red' })
    const milestone = await createMilestone(tx, home, { title: 'soon' })
    const place = { id: project.id, namespace_id }
    await createIssue(tx, place, { title: 'one', label_ids: [label.id], milestone_id: milestone.id })
    await createIssue(tx, place, { title: 'two' })
    const { id: board } = await tx.db
      .insertInto('boards')
      .values({
        namespace_id,
        name: 'work',
        milestone_id: milestone.id,
        created_at: tx.now,
        updated_at: tx.now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const list = { board_id: board, created_at: tx.now, updated_at: tx.now }
    await tx.db
      .insertInto('board_lists')
      .values([
        { ...list, label_id: label.id, position: 0 },
        { ...list, milestone_id: milestone.id, position: 1 },
      ])
      .execute()
    const environment = await createEnvironment(tx, place, { name: 'review/one' })
    await tx.db
      .updateTable('environments')
      .set({ state: 'stopped' })
      .where('id', '=', environment.id)
      .execute()
    const deployment = await tx.db
      .insertInto('deployments')
      .values({
        project_id: project.id,
        environment_id: environment.id,
        iid: 1,
        sha: 'a'.repeat(40),
        ref: 'main',
        tag: false,
        status: 'running',
        user_id: user.id,
        created_at: tx.now,
        updated_at: tx.now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return {
      group: group.id,
      otherGroup: other.id,
      project: project.id,
      otherProject: otherProject.id,
      user,
      label: label.id,
      milestone: milestone.id,
      board,
      environment: environment.id,
      deployment: deployment.id,
    }
  })
  const { body } = await w.root.post(`/projects/${ground.project}/issues/1/notes`, {
    body: 'First of all, #2',
  })
  return { ...ground, note: body.id }
}

export type VerbOn = (ground: Ground) => Verb

export const on =
  (make: (ground: Ground) => readonly [method: string, path: string, json?: unknown]): VerbOn =>
  (ground) =>
  () => {
    const [method, path, json] = make(ground)
    return w.root.send(method, path, json === undefined ? {} : { json })
  }

/** `in` names a path of the project. */
export const inProject = (method: string, path: string, json?: (ground: Ground) => unknown): VerbOn =>
  on((ground) => [method, `/projects/${ground.project}${path}`, json?.(ground)])

/** Those that lock a row which much else refers to. */
const heavy: Readonly<Record<string, VerbOn>> = {
  'change an issue': inProject('PUT', '/issues/1', ({ user }) => ({
    title: unique('title'),
    description: `See #2 and @${user.username}`,
  })),
  'close an issue': inProject('PUT', '/issues/1', () => ({ state_event: 'close' })),
  'replace the labels of an issue': inProject('PUT', '/issues/1', () => ({ labels: unique('label') })),
  'delete an issue': inProject('DELETE', '/issues/1'),
  'move an issue': inProject('POST', '/issues/1/move', ({ otherProject }) => ({
    to_project_id: otherProject,
  })),
  'write a note': inProject('POST', '/issues/1/notes', () => ({ body: 'As in #2' })),
  'rename a label': on(({ project, label }) => [
    'PUT',
    `/projects/${project}/labels/${label}`,
    { new_name: unique('name') },
  ]),
  'delete a label': on(({ project, label }) => ['DELETE', `/projects/${project}/labels/${label}`]),
  'rename a milestone': on(({ project, milestone }) => [
    'PUT',
    `/projects/${project}/milestones/${milestone}`,
    { title: unique('title') },
  ]),
  'delete a milestone': on(({ project, milestone }) => [
    'DELETE',
    `/projects/${project}/milestones/${milestone}`,
  ]),
  'change an environment': on(({ project, environment }) => [
    'PUT',
    `/projects/${project}/environments/${environment}`,
    { description: unique('description') },
  ]),
  'finish a deployment': on(({ project, deployment }) => [
    'PUT',
    `/projects/${project}/deployments/${deployment}`,
    { status: 'success' },
  ]),
  'delete an environment': on(({ project, environment }) => [
    'DELETE',
    `/projects/${project}/environments/${environment}`,
  ]),
  'change a project': inProject('PUT', '', () => ({ description: unique('description') })),
  'move a project': inProject('PUT', '/transfer', ({ otherGroup }) => ({ namespace: otherGroup })),
  'delete a project': inProject('DELETE', ''),
  'move a group': on(({ group, otherGroup }) => [
    'POST',
    `/groups/${group}/transfer`,
    { group_id: otherGroup },
  ]),
  'delete a group': on(({ group }) => ['DELETE', `/groups/${group}`]),
}

const light: Readonly<Record<string, VerbOn>> = {
  'open an issue': inProject('POST', '/issues', ({ user, milestone }) => ({
    title: 'Another, as #1',
    labels: 'bug,other',
    milestone_id: milestone,
    assignee_ids: [user.id],
  })),
  'give an issue a label': inProject('PUT', '/issues/1', () => ({ add_labels: 'bug' })),
  'give an issue a milestone': inProject('PUT', '/issues/1', ({ milestone }) => ({
    milestone_id: milestone,
  })),
  'assign an issue': inProject('PUT', '/issues/1', ({ user }) => ({ assignee_ids: [user.id] })),
  'clone an issue': inProject('POST', '/issues/1/clone', ({ otherProject }) => ({
    to_project_id: otherProject,
  })),
  'link issues': inProject('POST', '/issues/1/links', ({ project }) => ({
    target_project_id: project,
    target_issue_iid: 2,
  })),
  'reorder issues': inProject('PUT', '/issues/1/reorder', () => ({})),
  'spend time': inProject('POST', '/issues/1/add_spent_time', () => ({ duration: '1h' })),
  'subscribe to an issue': inProject('POST', '/issues/1/subscribe'),
  'react to an issue': inProject('POST', '/issues/1/award_emoji', () => ({ name: 'thumbsup' })),
  'mention an issue': inProject('POST', '/issues/2/notes', () => ({ body: 'As in #1' })),
  'write a note with commands': inProject('POST', '/issues/1/notes', ({ user }) => ({
    body: `Do it\n/label ~bug\n/milestone %soon\n/assign @${user.username}\n/close`,
  })),
  'change a note': on(({ project, note }) => [
    'PUT',
    `/projects/${project}/issues/1/notes/${note}`,
    { body: unique('body') },
  ]),
  'delete a note': on(({ project, note }) => ['DELETE', `/projects/${project}/issues/1/notes/${note}`]),
  'react to a note': on(({ project, note }) => [
    'POST',
    `/projects/${project}/issues/1/notes/${note}/award_emoji`,
    { name: 'heart' },
  ]),
  'start a discussion': inProject('POST', '/issues/1/discussions', () => ({ body: 'Well, #2?' })),
  'commit what closes an issue': inProject('POST', '/repository/commits', () => ({
    branch: 'main',
    commit_message: 'Closes #1, see #2',
    actions: [{ action: 'create', file_path: 'a', content: '' }],
  })),
  'create a label': inProject('POST', '/labels', () => ({ name: 'other', color: 'red' })),
  'recolor a label': on(({ project, label }) => [
    'PUT',
    `/projects/${project}/labels/${label}`,
    { color: 'blue' },
  ]),
  'promote a label': on(({ project, label }) => ['PUT', `/projects/${project}/labels/${label}/promote`]),
  'create a milestone': inProject('POST', '/milestones', () => ({ title: unique('later') })),
  'close a milestone': on(({ project, milestone }) => [
    'PUT',
    `/projects/${project}/milestones/${milestone}`,
    { state_event: 'close' },
  ]),
  'promote a milestone': on(({ project, milestone }) => [
    'POST',
    `/projects/${project}/milestones/${milestone}/promote`,
  ]),
  'create a board': inProject('POST', '/boards', ({ milestone, user }) => ({
    name: 'other',
    milestone_id: milestone,
    assignee_id: user.id,
    labels: 'bug,other',
  })),
  'change a board': on(({ project, board, milestone }) => [
    'PUT',
    `/projects/${project}/boards/${board}`,
    { name: unique('name'), milestone_id: milestone, labels: 'bug' },
  ]),
  'delete a board': on(({ project, board }) => ['DELETE', `/projects/${project}/boards/${board}`]),
  'add a person to a board': on(({ project, board, user }) => [
    'POST',
    `/projects/${project}/boards/${board}/lists`,
    { assignee_id: user.id },
  ]),
  'create an environment': inProject('POST', '/environments', () => ({ name: 'staging' })),
  'stop an environment': on(({ project, environment }) => [
    'POST',
    `/projects/${project}/environments/${environment}/stop`,
  ]),
  'delete review apps, each an environment': inProject(
    'DELETE',
    '/environments/review_apps?dry_run=false&before=2090-01-01',
  ),
  'cancel a deployment': on(({ project, deployment }) => [
    'PUT',
    `/projects/${project}/deployments/${deployment}`,
    { status: 'canceled' },
  ]),
  'delete a deployment': on(({ project, deployment }) => [
    'DELETE',
    `/projects/${project}/deployments/${deployment}`,
  ]),
  'create a freeze period': inProject('POST', '/freeze_periods', () => ({
    freeze_start: '0 23 * * 5',
    freeze_end: '0 7 * * 1',
  })),
  'move a project to another storage': inProject('POST', '/repository_storage_moves', () => ({
    destination_storage_name: 'second',
  })),
  'rename a project': inProject('PUT', '', () => ({ path: unique('path') })),
  'give a project topics': inProject('PUT', '', () => ({ topics: ['one', unique('topic')] })),
  'archive a project': inProject('POST', '/archive'),
  'star a project': inProject('POST', '/star'),
  'share a project': inProject('POST', '/share', ({ otherGroup }) => ({
    group_id: otherGroup,
    group_access: 30,
  })),
  'let the jobs of a project in': inProject('POST', '/job_token_scope/allowlist', ({ otherProject }) => ({
    target_project_id: otherProject,
  })),
  'let the jobs of a group in': inProject('POST', '/job_token_scope/groups_allowlist', ({ otherGroup }) => ({
    target_group_id: otherGroup,
  })),
  'add a member': inProject('POST', '/members', () => ({ user_id: 1, access_level: 40 })),
  'change a member': on(({ project, user }) => [
    'PUT',
    `/projects/${project}/members/${user.id}`,
    { access_level: 20 },
  ]),
  'remove a member': on(({ project, user }) => ['DELETE', `/projects/${project}/members/${user.id}`]),
  'change a group': on(({ group }) => ['PUT', `/groups/${group}`, { description: unique('description') }]),
  'rename a group': on(({ group }) => ['PUT', `/groups/${group}`, { path: unique('path') }]),
  'create a project': on(({ group }) => ['POST', '/projects', { name: unique('new'), namespace_id: group }]),
  'create a subgroup': on(({ group }) => [
    'POST',
    '/groups',
    { name: 'new', path: unique('new'), parent_id: group },
  ]),
  'change a user': on(({ user }) => ['PUT', `/users/${user.id}`, { name: unique('name') }]),
  'block a user': on(({ user }) => ['POST', `/users/${user.id}/block`]),
  'delete a user': on(({ user }) => ['DELETE', `/users/${user.id}`]),
}

export const verbs: ReadonlyMap<string, VerbOn> = new Map(Object.entries({ ...heavy, ...light }))

/** What a verb is about: its last word. */
const kindOf = (name: string) => name.split(' ').at(-1)

/** Leaves other verbs nothing to work on, or puts it elsewhere. */
const ends = (name: string) => /^(delete|move)/.test(name)

/** What a verb meets beside itself: it shares a row with each. */
function metBy(name: string): string[] {
  const always = ['change an issue', 'delete an issue', 'change a project', 'delete a project']
  const related = Object.keys(heavy).filter((other) => kindOf(other) === kindOf(name))
  return [...new Set([...always, ...related])].filter((other) => other !== name)
}

/** A verb between others, twice: one of them comes before it, another after it. */
const between = (name: string, [first = name, ...rest]: readonly string[]) => [first, name, ...rest]

/** A verb, and what changes the rows that it needs. */
export const beforeChanges = (name: string): string[] =>
  between(
    name,
    metBy(name).filter((other) => !ends(other)),
  )

/** A verb, and what takes away the rows that it needs. */
export const beforeRemovals = (name: string): string[] => between(name, metBy(name).filter(ends))

/** A verb and itself, and then with every heavy one. */
export const pairs = (name: string): string[][] =>
  [name, ...Object.keys(heavy)].map((other) => [other, name, other])

/** Has a verb and a crowd meet on a ground of their own, without a deadlock and without a 5xx. */
export async function expectMeeting(name: string, verb: VerbOn, crowd: readonly string[]): Promise<void> {
  const before = await deadlocks()
  const ground = await newGround()
  const all = [verb, ...crowd.map((other) => verbs.get(other) ?? verb)].map((one) => one(ground))
  await collideAll(all, before).catch((error: unknown) => {
    throw new Error(`${name} against ${crowd.join(', ')}`, { cause: error })
  })
  expect(await deadlocks()).toBe(before)
}
