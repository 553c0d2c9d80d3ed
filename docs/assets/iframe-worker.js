// Browsers refuse workers in pages that were opened as files. There, the search runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.waiting = []
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      const inside = frame.contentWindow
      inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      const script = frame.contentDocument.createElement("script")
      script.src = new URL(url, location)
      script.onload = () => {
        this.deliver = data => inside.dispatchEvent(new inside.MessageEvent("message", { data }))
        this.waiting.forEach(this.deliver)
      }
      frame.contentDocument.body.append(script)
    }
    postMessage(data) {
      this.deliver ? this.deliver(data) : this.waiting.push(data)
    }
  }
}
