// A page in a frame of a notebook: values of its sliders, and the time it shows, go to and fro between it and the notebook's model.

const SHARED = ["values", "time", "said"];

function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  Object.assign(frame.style, { width: "100%", height: `${model.get("height")}px`, border: "1px solid #8884", borderRadius: "8px" });
  frame.srcdoc = model.get("page");
  let hearing = false;
  const tell = () => {
    if (!hearing) frame.contentWindow?.postMessage({ dalembert: { values: model.get("values"), time: model.get("time") } }, "*");
  };
  const hear = (e) => {
    if (e.source !== frame.contentWindow || !e.data?.dalembert) return;
    if (e.data.dalembert === "ready") return tell();
    hearing = true; // what comes from the frame is not sent back to it
    for (const key of SHARED) if (key in e.data.dalembert) model.set(key, e.data.dalembert[key]);
    hearing = false;
    model.save_changes();
  };
  const resize = () => (frame.style.height = `${model.get("height")}px`);
  addEventListener("message", hear);
  model.on("change:values", tell);
  model.on("change:time", tell);
  model.on("change:height", resize);
  el.append(frame);
  return () => {
    removeEventListener("message", hear);
    model.off("change:values", tell);
    model.off("change:time", tell);
    model.off("change:height", resize);
  };
}

export default { render };
