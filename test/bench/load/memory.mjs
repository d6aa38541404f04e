/** Measures the memory of this process once per second. Returns the results in MB. */
export function memoryOverTime() {
  const rssMb = []
  const measure = () => rssMb.push(process.memoryUsage.rss() / 1e6)
  setInterval(measure, 1000).unref()
  return { rssMb, measure }
}
