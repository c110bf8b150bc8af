import { groupRule, projectRule } from '#platform/access/abilities.ts'
import { levels, type Role } from '#platform/access/roles.ts'
import type { RouteAccess, Tier } from '#platform/access/route-access.ts'
import type { Rule, AccessContext } from '#platform/access/access-context.ts'
import { sentences } from './json-schema.ts'

/** The roles that members can have, from the lowest. */
const memberRoles = [
  'guest',
  'planner',
  'reporter',
  'securityManager',
  'developer',
  'maintainer',
  'owner',
] as const satisfies Role[]

const nobody: AccessContext = {
  level: 0,
  visibility: 'private',
  signedIn: true,
  external: false,
  admin: false,
  archived: false,
  readsBelow: false,
  closed: false,
}

/** `securityManager` → `Security Manager` */
const titleOf = (role: Role) =>
  role.replace(/[A-Z]/g, (letter) => ` ${letter}`).replace(/^./, (first) => first.toUpperCase())

/** Who may use a route. It evaluates the ability's own rule, so that the document always agrees with the code. */
export function whoMay({
  subject,
  anonymous,
  scopes,
  tier,
  featureFlag,
  personalTokenOnly,
  jobToken,
  feedToken,
}: RouteAccess): string {
  return (
    sentences(
      whose(subject, anonymous),
      scopes.length > 0
        ? `Tokens need the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`
        : undefined,
      personalTokenOnly && 'Only with a personal access token.',
      jobToken && 'Takes job tokens, too.',
      feedToken && 'Takes feed tokens, too.',
      tier && needs(tier),
      featureFlag && `Answers 404 where the feature flag \`${featureFlag}\` is off.`,
    ) ?? ''
  )
}

function needs({ plan, offerings, planOn }: Tier): string | undefined {
  const where = planOn === undefined ? '' : ` on the offering ${planOn.join(' or ')}`
  return sentences(
    plan === 'free' ? undefined : `Needs ${plan}${where}.`,
    offerings && `Only on the offering ${offerings.join(' or ')}.`,
  )
}

function whose(subject: RouteAccess['subject'], anonymous: boolean): string {
  if (subject.kind === 'admin') return 'For administrators.'
  if (subject.kind === 'anyone') return anonymous ? 'Needs no credentials.' : 'For signed-in users.'
  const { kind } = subject
  const rule: Rule = subject.kind === 'project' ? projectRule(subject.ability) : groupRule(subject.ability)
  if (rule({ ...nobody, visibility: 'public', signedIn: !anonymous })) {
    return anonymous
      ? `For everybody who can read the ${kind}; if it is public, without credentials.`
      : `For signed-in users who can read the ${kind}.`
  }
  const having = memberRoles.filter((role) => rule({ ...nobody, level: levels[role] }))
  const [lowest] = having
  if (lowest === undefined) return 'For administrators.'
  const upward = memberRoles.slice(memberRoles.indexOf(lowest)).length === having.length
  const names = upward
    ? having.length === 1
      ? titleOf(lowest)
      : `${titleOf(lowest)} or above`
    : having.map(titleOf).join(', ')
  return `For members of the ${kind} with the role ${names}.`
}
