/** Whether an address is one of those that a pattern names, in which `*` stands for any characters, whatever their case. */
export function fits(pattern: string, address: string): boolean {
  const [first = '', ...others] = pattern.toLowerCase().split('*')
  const path = address.toLowerCase()
  if (!path.startsWith(first)) return false
  const last = others.pop()
  if (last === undefined) return path === first
  // Each part is taken where it first occurs: no text makes this slow.
  let rest = path.slice(first.length)
  for (const part of others) {
    const at = rest.indexOf(part)
    if (at === -1) return false
    rest = rest.slice(at + part.length)
  }
  return rest.endsWith(last)
}
