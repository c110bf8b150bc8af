import { isNamedKind, kindOfSegment, kinds, type Reference } from './kinds.ts'

type Unplaced<T> = T extends unknown ? Omit<T, 'start' | 'end'> : never

const PATH = /^[\w.][\w.-]*(?:\/[\w.][\w.-]*)*$/
const NUMBER = /^[1-9]\d{0,14}$/

/**
 * The target of a URL of this instance: `site/group/project/-/issues/12`, `site/groups/group/-/epics/4`, or a project;
 * undefined for all others.
 */
export function referenceOfUrl(url: string, site: string): Unplaced<Reference> | undefined {
  if (!url.startsWith(`${site}/`)) return undefined
  const whole = url.slice(site.length + 1)
  const path = whole.replace(/[?#].*$/s, '').replace(/\/$/, '')
  const [namespace = '', inside, ...more] = path.split('/-/')
  if (more.length > 0 || namespace.length > 2_048) return undefined
  if (inside === undefined) {
    return PATH.test(namespace) && namespace.includes('/') && !namespace.startsWith('groups/')
      ? { kind: 'project', path: namespace }
      : undefined
  }
  const container = namespace.replace(/^groups\//, '')
  const [segment = '', digits = '', ...rest] = inside.split('/')
  const kind = kindOfSegment(segment)
  const ofGroup = container !== namespace
  if (kind === undefined || rest.length > 0 || !NUMBER.test(digits) || !PATH.test(container)) return undefined
  if (ofGroup !== (kinds[kind].container === 'group')) return undefined
  const number = Number(digits)
  return isNamedKind(kind) ? { kind, container, number, name: digits } : { kind, container, number }
}
