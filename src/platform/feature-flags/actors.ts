/** Whom and what a question about a switch concerns; a gate for any one of them lets all through. */
export interface Actors {
  readonly user?: { readonly id: number; readonly admin?: boolean } | undefined
  readonly project?: { readonly id: number } | undefined
  /** A group or, by the id of its namespace, the place of a person's own projects. */
  readonly group?: { readonly id: number } | undefined
}

/** How gates name actors, on the wire and in rows. */
export const actorIds = {
  user: (id: number) => `User:${id}`,
  project: (id: number) => `Project:${id}`,
  /** The repository of a project. */
  repository: (id: number) => `Repository:project-${id}`,
  group: (id: number) => `Group:${id}`,
  personalNamespace: (id: number) => `Namespaces::UserNamespace:${id}`,
}

/** The name of each actor, one for each. */
export function namesOf({ user, project, group }: Actors): string[] {
  return [
    ...(user ? [actorIds.user(user.id)] : []),
    ...(project ? [actorIds.project(project.id)] : []),
    ...(group ? [actorIds.group(group.id)] : []),
  ]
}

/** Every name that a gate may have for one of them. */
export function allNamesOf(actors: Actors): string[] {
  const { project, group } = actors
  return [
    ...namesOf(actors),
    ...(project ? [actorIds.repository(project.id)] : []),
    ...(group ? [actorIds.personalNamespace(group.id)] : []),
  ]
}

/** The groups that `feature_group` may name; any other name lets nobody through. */
export const featureGroups: ReadonlyMap<string, (actors: Actors) => boolean> = new Map([
  ['administrators', ({ user }: Actors) => user?.admin ?? false],
])
