import type { Draft, ItemReference, NewLink } from './draft.ts'
import { issuesIn, listed, projectIn, shortened } from './names.ts'
import {
  type ChangingAction,
  type CommandContext,
  done,
  type CommandOutcome,
  commandFailed,
} from './quick-action.ts'

/** The commands that relate issues to others, and take them to other projects. */
export const relationActions = {
  relate: {
    takes: '#12 group/project#13',
    does: 'Links these issues with this one.',
    changes: 'issue_links',
    names: 'issues',
    makes: 'linked',
    run: link('/relate', 'relates_to', 'related to'),
  },
  blocks: {
    takes: '#12 group/project#13',
    does: 'Marks these issues as blocked by this one.',
    changes: 'issue_links',
    names: 'issues',
    makes: 'linked',
    run: link('/blocks', 'blocks', 'blocking'),
  },
  blocked_by: {
    takes: '#12 group/project#13',
    does: 'Marks this issue as blocked by these.',
    changes: 'issue_links',
    names: 'issues',
    makes: 'linked',
    run: link('/blocked_by', 'is_blocked_by', 'blocked by'),
  },
  duplicate: {
    takes: '#12, or group/project#12',
    does: 'Closes this issue as a duplicate of that one, and links both.',
    changes: 'canonical_issue_id',
    names: 'issues',
    makes: 'original',
    run: markDuplicate,
  },
  move: {
    takes: 'group/project',
    does: 'Moves the issue to that project. The comment itself stays here.',
    changes: 'target_project_id',
    names: 'project',
    makes: 'new project',
    run: (_, args, { known }) =>
      withProject('/move', args, known.projects, (moveTo) =>
        done(`Moved this issue to ${moveTo.reference}.`, { moveTo }),
      ),
  },
  clone: {
    takes: 'group/project, or nothing for this project; and --with_notes',
    does: 'Clones the issue into that project, with its comments if you say so.',
    changes: 'target_clone_project_id',
    names: 'project',
    makes: 'project of a clone',
    run: cloneInto,
  },
} as const satisfies Readonly<Record<string, ChangingAction>>

/** Makes links of a type to the named issues. */
function link(command: string, type: NewLink['type'], relation: string): ChangingAction['run'] {
  return ({ links = [] }, args, { known }) => {
    const names = issuesIn(args)
    if (names.length === 0) return commandFailed(`${command} needs an issue.`)
    const missing = names.filter((name) => !known.issues.has(name))
    if (missing.length > 0) return commandFailed(`There is no issue ${listed(missing)} here.`)
    const issues = names.flatMap((name) => known.issues.get(name) ?? [])
    const twice = issues.find(({ id }) => links.some((one) => one.id === id))
    if (twice !== undefined) return commandFailed(`${twice.reference} is linked with this issue already.`)
    return done(`Marked this issue as ${relation} ${listed(issues.map(({ reference }) => reference))}.`, {
      links: [...links, ...issues.map((issue) => ({ ...issue, type }))],
    })
  }
}

function markDuplicate(_: Draft, args: string, { known }: CommandContext): CommandOutcome {
  const [name, second] = issuesIn(args)
  if (name === undefined || second !== undefined) return commandFailed('/duplicate needs an issue.')
  const original = known.issues.get(name)
  if (original === undefined) return commandFailed(`There is no issue ${shortened(name)} here.`)
  return done(`Closed this issue as a duplicate of ${original.reference}.`, { original, state: 'closed' })
}

const WITH_NOTES = '--with_notes'

function cloneInto(_: Draft, args: string, { known, project }: CommandContext): CommandOutcome {
  const withNotes = args.split(/\s+/).includes(WITH_NOTES)
  const says = (to: ItemReference) =>
    done(`Cloned this issue into ${to.reference}.`, { cloneTo: { ...to, withNotes } })
  if (projectIn(args).length === 0 && project !== undefined) return says(project)
  return withProject('/clone', args, known.projects, says)
}

/** Does something with the named project, if there is one. */
function withProject(
  command: string,
  args: string,
  projects: ReadonlyMap<string, ItemReference>,
  use: (project: ItemReference) => CommandOutcome,
): CommandOutcome {
  const [path] = projectIn(args)
  if (path === undefined) return commandFailed(`${command} needs the path of a project.`)
  const found = projects.get(path)
  return found === undefined ? commandFailed(`There is no project ${shortened(path)}.`) : use(found)
}
