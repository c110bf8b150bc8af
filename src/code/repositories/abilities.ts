import { type RawBuilder, sql } from 'kysely'
import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, readers, type Rule, unlessArchived } from '#platform/access/access-context.ts'
import { inProjectFeature, projectFeatureOpenAt } from '#platform/access/project-feature-rules.ts'
import { levels } from '#platform/access/roles.ts'
import type { SqlViewer } from '#platform/access/viewer.ts'
import { hasLevel, seesInternal } from '#platform/access/visible.ts'

/** In a private project, and in an internal one for external users, it takes a Reporter to read the code. */
export const codeReaders: Rule = (s) =>
  readers(s) &&
  (s.admin ||
    s.level >= levels.reporter ||
    s.visibility === 'public' ||
    (s.visibility === 'internal' && s.signedIn && !s.external))

const committers: Rule = (s) =>
  atLeast('developer')(s) || (codeReaders(s) && s.branches !== undefined && s.branches.length > 0)

export const repositoryAbilities = {
  project: {
    /** Read files, commits, branches and tags, and clone. */
    download_code: inProjectFeature('repository', codeReaders),
    /** Change references, as far as the rules for each of them allow. */
    push_code: unlessArchived(inProjectFeature('repository', atLeast('developer'))),
    /** Bring commits to branches: to all, or to some as the author of a merge request allows. A rule for references tells which. */
    commit_code: unlessArchived(inProjectFeature('repository', committers)),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof repositoryAbilities.project> {}
}

/**
 * `download_code` in SQL for a project that the viewer may see, over the column of its settings and the alias of its
 * namespace.
 * @param held says in another way whether the viewer is a member there, and whether they are at least a Reporter.
 */
export function codeReadableAt(
  settings: string,
  node: string,
  viewer: SqlViewer,
  held?: { readonly member: RawBuilder<boolean>; readonly reporter: RawBuilder<boolean> },
): RawBuilder<boolean> {
  const open = projectFeatureOpenAt('repository', settings, node, viewer, held?.member)
  if (viewer.admin) return open
  const everybody = seesInternal(viewer) ? sql`('public', 'internal')` : sql`('public')`
  return sql<boolean>`(${open} and (${sql.ref(`${node}.visibility`)} in ${everybody}
    or ${held?.reporter ?? hasLevel(node, viewer, levels.reporter)}))`
}
