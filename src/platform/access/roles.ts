/** Roles by their access level, as the API numbers them. 0 means no membership at all. */
export const levels = {
  minimal: 5,
  guest: 10,
  planner: 15,
  reporter: 20,
  securityManager: 25,
  developer: 30,
  maintainer: 40,
  owner: 50,
} as const

export type Role = keyof typeof levels

/** The role of a level in words. */
export const roleTitles: Readonly<Record<number, string>> = {
  [levels.minimal]: 'Minimal Access',
  [levels.guest]: 'Guest',
  [levels.planner]: 'Planner',
  [levels.reporter]: 'Reporter',
  [levels.securityManager]: 'Security Manager',
  [levels.developer]: 'Developer',
  [levels.maintainer]: 'Maintainer',
  [levels.owner]: 'Owner',
}

/** The levels that a member of a project or group can have. */
export const memberLevels = [10, 15, 20, 25, 30, 40, 50] as const
export type MemberLevel = (typeof memberLevels)[number]

/** Parameters for custom roles, which a share or a membership would name. */
export const noCustomRoles = { member_role_id: 'there are no custom roles yet' } as const
