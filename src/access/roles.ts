/** Roles by their access level, as the API numbers them. 0 is nobody's: no membership at all. */
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

/** The levels that a member of a project or group can be given. */
export const memberLevels = [10, 15, 20, 25, 30, 40, 50] as const
export type MemberLevel = (typeof memberLevels)[number]
