import type { ProjectContainer } from '#platform/access/authorize.ts'

/** The branch that somebody has chosen for a project before there was any. */
export function chosenBranch({ settings }: Pick<ProjectContainer, 'settings'>): string | undefined {
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) return undefined
  const { default_branch } = settings
  return typeof default_branch === 'string' ? default_branch : undefined
}
