"""The lab: real machines and a simulated AWS control plane, in namespaces that `down` removes."""
