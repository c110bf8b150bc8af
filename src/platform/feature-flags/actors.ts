/** The user, project and group that a check of a feature flag is about. A gate for any one of them opens the flag. */
export interface Actors {
  readonly user?: { readonly id: number; readonly admin?: boolean } | undefined
  readonly project?: { readonly id: number } | undefined
  /** A group or, by the id of a personal namespace, the owner of personal projects. */
  readonly group?: { readonly id: number } | undefined
}

/** The names of actors in gates, on the wire and in rows. */
export const actorIds = {
  user: (id: number) => `User:${id}`,
  project: (id: number) => `Project:${id}`,
  /** The repository of a project. */
  repository: (id: number) => `Repository:project-${id}`,
  group: (id: number) => `Group:${id}`,
  personalNamespace: (id: number) => `Namespaces::UserNamespace:${id}`,
}

/** One name for each actor. */
export function namesOf({ user, project, group }: Actors): string[] {
  return [
    ...(user ? [actorIds.user(user.id)] : []),
    ...(project ? [actorIds.project(project.id)] : []),
    ...(group ? [actorIds.group(group.id)] : []),
  ]
}

/** All names that a gate may use for any of the actors. */
export function allNamesOf(actors: Actors): string[] {
  const { project, group } = actors
  return [
    ...namesOf(actors),
    ...(project ? [actorIds.repository(project.id)] : []),
    ...(group ? [actorIds.personalNamespace(group.id)] : []),
  ]
}

/** The groups that `feature_group` may name. Any other name matches no actor. */
export const featureGroups: ReadonlyMap<string, (actors: Actors) => boolean> = new Map([
  ['administrators', ({ user }: Actors) => user?.admin ?? false],
])
