import type { Page } from 'playwright-core'

/** What has the focus, as scripts of the page find it: also in an editor, which has a tree of its own. */
const FOCUSED = `(() => {
  let at = document.activeElement
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement
  return at
})()`

const inOneLine = (text: string): string => text.trim().replaceAll(/\s+/g, ' ')

/** What somebody sees of the focus. */
interface Focus {
  readonly name: string
  /** Whether anything marks it: an outline or a shadow, of the element or of the editor around it. */
  readonly isMarked: boolean
  /** Whether some of it is in the window. */
  readonly isInSight: boolean
  /** Whether it is on nothing of the page: Tab has gone all the way round. */
  readonly isNowhere: boolean
}

/** Somebody who goes by keyboard alone, and who must always see where they are. */
export class Keyboard {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  async focus(): Promise<Focus> {
    const { name, ...more } = await this.page.evaluate<Focus>(`(() => {
      const at = ${FOCUSED}
      const { top, bottom } = at.getBoundingClientRect()
      const marks = (one) => {
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one)
        return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none'
      }
      return {
        name: at.labels?.[0]?.textContent ?? at.ariaLabel ?? at.textContent ?? '',
        // In a field for a date, the browser itself marks the part that has the focus.
        isMarked: at.type === 'date' || [at, at.closest('.cm-editor')].some((one) => one !== null && marks(one)),
        isInSight: bottom > 0 && top < innerHeight,
        isNowhere: at === document.body,
      }
    })()`)
    return { name: inOneLine(name), ...more }
  }

  /** Presses Tab until the focus is on what has this name. @throws if it leads nowhere, or where one cannot see it */
  async tabTo(name: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    const been: string[] = []
    while (been.length < 200) {
      await this.page.keyboard.press(key)
      const { name: here, isMarked, isInSight, isNowhere } = await this.focus()
      if (!isNowhere && !(isMarked && isInSight)) throw new Error(`one does not see the focus on "${here}"`)
      if (here === name) return
      been.push(isNowhere ? '(nowhere)' : here.slice(0, 40))
    }
    throw new Error(`Tab does not lead to "${name}": ${been.join(', ')}`)
  }

  /** Presses Enter, and waits for the page that follows. */
  async enter(): Promise<void> {
    await this.page.waitForLoadState()
    await Promise.all([this.page.waitForEvent('load'), this.page.keyboard.press('Enter')])
  }

  /** Goes to a button or a link, and follows it. */
  async follow(name: string): Promise<void> {
    await this.tabTo(name)
    await this.enter()
  }

  /** Writes into a field in the place of what it has. */
  async write(name: string, text: string): Promise<void> {
    await this.tabTo(name)
    await this.page.keyboard.press('Control+a')
    await this.page.keyboard.type(text)
  }
}
