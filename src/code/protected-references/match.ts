/** Whether a protected name, in which `*` stands for any characters, means a branch or tag. */
export function matches(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === name
  if (!name.startsWith(first) || name.length < first.length + last.length) return false
  // Each part is looked for behind the one before, so that no pattern takes long.
  const end = name.length - last.length
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return name.endsWith(last)
}
