/** An object whose keys are absent where those of another one are undefined. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** The same object without the keys that are undefined: absent means that nothing was given, or that nothing changes. */
export function defined<const T extends object>(values: T): Defined<T>
export function defined(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
