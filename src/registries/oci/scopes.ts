import { type Action, actions, type RepositoryScope } from './bearer.ts'

const VIRTUAL = /^virtual_registries\/container\/(\d{1,15})\/./
const SCOPE = /^repository:([^:]{1,1100}):([\w,*]{1,64})$/

/** @returns the id of a virtual registry, or a repository of a project; undefined for what names neither */
export function readScope(text: string): number | RepositoryScope | undefined {
  const [, name, list] = SCOPE.exec(text) ?? []
  if (name === undefined || list === undefined) return undefined
  const id = VIRTUAL.exec(name)?.[1]
  if (id !== undefined) return Number(id)
  const asked = list.split(',')
  return { name, actions: actions.filter((action) => asked.includes(action) || asked.includes('*')) }
}

/** How clients ask for a repository of any kind. */
export const scopeOf = (name: string, wanted: readonly Action[]): string =>
  `repository:${name}:${wanted.join(',')}`
