/** The values whose names another record has, too: what is shown of something that has more than that. */
export function only<Values extends object, Names extends object>(
  values: Values,
  names: Names,
): Pick<Values, keyof Values & keyof Names>
export function only(values: object, names: object): object {
  return Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(names, name)))
}
