// Runs in browsers: remembers which files of a merge request somebody has viewed, in their browser alone.

const KEY = 'viewed files'
/** Files that are remembered: the last ones. */
const MOST = 2_000

/** What was viewed; nothing where the browser keeps nothing. */
function remembered(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}

function remember(file: string, isViewed: boolean): void {
  const others = remembered().filter((one) => one !== file)
  try {
    localStorage.setItem(KEY, JSON.stringify((isViewed ? [...others, file] : others).slice(-MOST)))
  } catch {
    // The browser keeps nothing: the file stays folded as long as the page is there.
  }
}

const viewed = new Set(remembered())

for (const file of document.querySelectorAll<HTMLElement>('section[data-viewed]')) {
  const key = file.dataset['viewed'] ?? ''
  const label = document.createElement('label')
  const box = document.createElement('input')
  box.type = 'checkbox'
  box.checked = viewed.has(key)
  label.className = 'viewed'
  box.ariaLabel = `Viewed ${file.ariaLabel ?? ''}`
  label.append(box, ' Viewed')
  const fold = () => file.classList.toggle('folded', box.checked)
  box.addEventListener('change', () => {
    remember(key, box.checked)
    fold()
  })
  fold()
  file.querySelector('h2')?.after(label)
}
