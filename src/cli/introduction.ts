import type { FirstStart } from '#instance/first-start.ts'

/** What the first start prints, once: in plain text, to be copied. Empty when the operator chose all secrets. */
export function introduction({ rootPassword, rootToken }: FirstStart): string {
  const lines = [
    ...(rootPassword === undefined ? [] : [`  password  ${rootPassword}`]),
    ...(rootToken === undefined ? [] : [`  token     ${rootToken}`]),
  ]
  if (lines.length === 0) return ''
  return `\nThe administrator of this new Forgelet. This is shown once:\n\n  user      root\n${lines.join('\n')}\n\n`
}
